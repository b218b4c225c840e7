// Kernels that are edited and run, what their buffers hold, and the times of two runs.

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/viewer/window/window_fixture.h"
#include "viewer/diff_dock.h"
#include "viewer/kernel_workshop.h"
#include "viewer/panels/array_views.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/times_diff_panel.h"
#include "viewer/panels/values_panel.h"

namespace rangescope::viewer {
namespace {

const auto kRangescope = QStringLiteral(RANGESCOPE_PROGRAM);
constexpr int kLong = 60000;

// Floats as a .npy file.
void writeNpy(const QString& path, const QString& shape, const std::vector<float>& values) {
  QByteArray header = QStringLiteral("{'descr': '<f4', 'fortran_order': False, 'shape': (%1), }").arg(shape).toLatin1();
  header.append(QByteArray(63 - (10 + header.size()) % 64, ' ')).append('\n');
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("\x93NUMPY\x01", 7);
  file.write(QByteArray(1, '\0'));
  const auto size = static_cast<quint16>(header.size());
  file.write(reinterpret_cast<const char*>(&size), 2);
  file.write(header);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<qint64>(values.size()) * static_cast<qint64>(sizeof(float)));
}

TEST(Values, TheFirstThatIsNoNumberIsMarked) {
  const trace::Folder folder;
  const QString path = QString::fromStdString(folder.file("a.npy"));
  std::vector<float> values(48);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 4;
  values[29] = std::numeric_limits<float>::quiet_NaN();
  values[37] = std::numeric_limits<float>::infinity();
  writeNpy(path, QStringLiteral("6, 8"), values);
  ValuesPanel panel;
  panel.resize(900, 300);
  panel.show();
  panel.setKernel(QStringLiteral("r_6_8"), {{path, QStringLiteral("buffer 0")}}, 0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return panel.firstBad().isVisible(); }, kLong));
  EXPECT_EQ(panel.firstBad().text(), QStringLiteral("First NaN: 29"));
  EXPECT_TRUE(panel.said().text().contains(QStringLiteral("0 to 11.75"))) << panel.said().text().toStdString();
  EXPECT_TRUE(panel.said().text().contains(QStringLiteral("1 NaN, 1 infinite")));
  EXPECT_EQ(panel.columns().value(), 8);
  const QAbstractItemModel& table = *panel.table().model();
  EXPECT_EQ(table.rowCount(), 6);
  EXPECT_EQ(table.columnCount(), 8);
  EXPECT_EQ(table.index(1, 2).data().toString(), QStringLiteral("2.5"));
  EXPECT_EQ(panel.table().currentIndex(), table.index(3, 5));  // it is gone to
  EXPECT_TRUE(table.index(3, 5).data(Qt::BackgroundRole).isValid());
  EXPECT_FALSE(table.index(3, 4).data(Qt::BackgroundRole).isValid());
  // in other rows, it is elsewhere
  panel.columns().setValue(12);
  panel.table().setCurrentIndex({});
  QTest::mouseClick(&panel.firstBad(), Qt::LeftButton);
  EXPECT_EQ(panel.table().currentIndex(), table.index(2, 5));
  // and in the picture it stands out
  panel.tabs().setCurrentIndex(2);
  const QImage image = panel.image().render({400, 200});
  int magenta = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) magenta += image.pixel(x, y) == 0xffff00ff ? 1 : 0;
  EXPECT_EQ(magenta, 2);
  // what is no array says so
  QFile broken(path);
  ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
  broken.write("no numbers");
  broken.close();
  panel.setKernel(QStringLiteral("r_6_8"), {{path, QStringLiteral("buffer 0")}}, 0);
  EXPECT_TRUE(panel.said().text().contains(QStringLiteral("no .npy file")));
}

class WorkshopTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (qEnvironmentVariableIsSet("RANGESCOPE_SANITIZED")) GTEST_SKIP() << "drivers are not instrumented";
    window_.setChildProgram({RANGESCOPE_PROGRAM, {}});
    block_ = QString::fromStdString(folder_.file("block.rscope"));
    QProcess record;
    record.start(kRangescope, {QStringLiteral("record"), QStringLiteral(RANGESCOPE_EXAMPLE), QStringLiteral("-o"),
                               block_, QStringLiteral("--run"), QStringLiteral("--repeat"), QStringLiteral("8")});
    ASSERT_TRUE(record.waitForFinished(kLong));
    if (record.exitCode() != 0) GTEST_SKIP() << record.readAllStandardError().toStdString();
    window_.openTrace(block_);
    ASSERT_TRUE(settle());
  }
  bool said(const QString& text) {
    return QTest::qWaitFor([&] { return kernels().said().text().contains(text); }, kLong);
  }
  KernelPanel& kernels() { return window_.kernels(); }
  QString block_;
};

TEST_F(WorkshopTest, AnEditedKernelIsTimedBesideTheRecordedOne) {
  kernels().table().selectRow(2);
  const QString source = kernels().source().toPlainText();
  ASSERT_TRUE(source.contains(QStringLiteral("void main()")));
  QTest::keyClicks(&kernels().source(), QStringLiteral("x"));  // is a key of the window as long as it is only read
  EXPECT_EQ(kernels().source().toPlainText(), source);
  QTest::mouseClick(&kernels().edit(), Qt::LeftButton);
  kernels().source().moveCursor(QTextCursor::Start);
  kernels().source().moveCursor(QTextCursor::Down);
  QTest::keyClicks(&kernels().source(), QStringLiteral("// mine"));
  QTest::keyClick(&kernels().source(), Qt::Key_Return);
  EXPECT_TRUE(kernels().editedSource().contains(QStringLiteral("// mine")));
  QTest::keyClick(&kernels().source(), Qt::Key_Return, Qt::ControlModifier);
  EXPECT_TRUE(kernels().stop().isEnabled());
  ASSERT_TRUE(said(QStringLiteral("edited: "))) << kernels().said().text().toStdString();
  EXPECT_TRUE(kernels().said().text().contains(QStringLiteral("as recorded: ")));
  EXPECT_TRUE(kernels().said().text().contains(QStringLiteral("the same results")))
      << kernels().said().text().toStdString();
  EXPECT_TRUE(kernels().said().text().contains(QStringLiteral("±")));
  // other optimisations, and an edit that does not compile
  QTest::keyClicks(&kernels().opts(), QStringLiteral("-"));
  kernels().source().moveCursor(QTextCursor::End);
  kernels().source().setFocus();
  QTest::keyClicks(&kernels().source(), QStringLiteral("this is no GLSL"));
  QTest::mouseClick(&kernels().run(), Qt::LeftButton);
  ASSERT_TRUE(said(QStringLiteral("without optimisations"))) << kernels().said().text().toStdString();
  EXPECT_TRUE(kernels().said().text().contains(QStringLiteral("edited: ")));
  EXPECT_TRUE(kernels().said().text().contains(QStringLiteral("error"))) << kernels().said().text().toStdString();
  // what was edited stays with its kernel
  kernels().table().selectRow(4);
  EXPECT_FALSE(kernels().source().toPlainText().contains(QStringLiteral("// mine")));
  kernels().table().selectRow(2);
  EXPECT_TRUE(kernels().source().toPlainText().contains(QStringLiteral("// mine")));
  QTest::mouseClick(&kernels().edit(), Qt::LeftButton);
  EXPECT_EQ(kernels().source().toPlainText(), source);
  kernels().kind().setCurrentIndex(1);
  EXPECT_TRUE(kernels().source().toPlainText().contains(QStringLiteral("OpEntryPoint")));
}

TEST_F(WorkshopTest, ValuesOfTheChosenKernelAreShown) {
  kernels().table().selectRow(1);
  QTest::mouseClick(window_.findChild<QPushButton*>(QStringLiteral("kernelValues")), Qt::LeftButton);
  ValuesPanel& values = window_.workshop().values();
  EXPECT_TRUE(values.isVisible());
  ASSERT_TRUE(QTest::qWaitFor([&] { return values.said().text().contains(QStringLiteral("mean")); }, kLong))
      << values.said().text().toStdString();
  EXPECT_GE(values.buffers().count(), 2);
  EXPECT_TRUE(values.buffers().currentText().contains(QStringLiteral("written")));
  EXPECT_GT(values.table().model()->rowCount(), 0);
  EXPECT_FALSE(values.firstBad().isVisible());
}

TEST_F(WorkshopTest, KernelsOfTwoRunsStandSideBySide) {
  window_.compareWith(block_);
  TimesDiffPanel& times = window_.diff().times();
  ASSERT_TRUE(QTest::qWaitFor([&] { return times.rowCount() > 0; }, kLong));
  EXPECT_EQ(times.rowCount(), kernels().table().model()->rowCount() + 1);
  for (int row = 0; row < times.rowCount(); ++row)
    EXPECT_EQ(times.item(row, 5)->text(), QStringLiteral("within the noise"));
}

TEST(Times, FasterOrSlowerIsMoreThanNoise) {
  using trace::TimeChange;
  const trace::TimeStatistics a{10, 90, 100, 120, 130, 20}, near{10, 80, 95, 110, 120, 20},
      fast{10, 45, 50, 60, 70, 10}, few{2, 45, 50, 60, 70, 1};
  EXPECT_EQ(trace::change_of(a, near), TimeChange::Noise);
  EXPECT_EQ(trace::change_of(a, fast), TimeChange::Faster);
  EXPECT_EQ(trace::change_of(fast, a), TimeChange::Slower);
  EXPECT_EQ(trace::change_of(a, few), TimeChange::Noise);
  EXPECT_EQ(trace::describe_change(a, fast), "2.00 times as fast");
  EXPECT_EQ(trace::describe_change(fast, a), "2.00 times as slow");
  EXPECT_EQ(trace::describe_change(a, few), "too few repeats to tell");
}

}  // namespace
}  // namespace rangescope::viewer
