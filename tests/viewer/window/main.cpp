#include <gtest/gtest.h>

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>

int main(int argc, char** argv) {
  // Without a display unless one is asked for, so that the test runs anywhere.
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  ::testing::InitGoogleTest(&argc, argv);
  QApplication app(argc, argv);
  // settings of this test alone, gone with its folder
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName(QStringLiteral("rangescope-test"));
  QApplication::setApplicationName(QStringLiteral("window"));
  QSettings().clear();
  return RUN_ALL_TESTS();
}
