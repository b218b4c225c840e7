#include <gtest/gtest.h>

#include <QApplication>

int main(int argc, char** argv) {
  // Without a display unless one is asked for, so that the test runs anywhere.
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  ::testing::InitGoogleTest(&argc, argv);
  QApplication app(argc, argv);
  return RUN_ALL_TESTS();
}
