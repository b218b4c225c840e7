// Kernels that are edited and run, what their buffers hold, and the times of two runs.

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/viewer/window/window_fixture.h"
#include "viewer/diff_dock.h"
#include "viewer/kernel_docks.h"
#include "viewer/kernel_workshop.h"
#include "viewer/panels/array_views.h"
#include "viewer/panels/buffer_view.h"
#include "viewer/panels/diff_panel.h"
#include "viewer/panels/dispatch_panel.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/place_times_panel.h"
#include "viewer/panels/roofline_view.h"
#include "viewer/panels/times_diff_panel.h"
#include "viewer/panels/values_panel.h"
#include "viewer/what_if_dock.h"

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
  ASSERT_TRUE(waitFor([&] { return panel.firstBad().isVisible(); }, kLong));
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
    return waitFor([&] { return kernels().said().text().contains(text); }, kLong);
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

TEST_F(WorkshopTest, AKernelIsTimedAtOtherSizes) {
  // one whose ranges stand in its indices as multiples alone
  const QRegularExpression size(QStringLiteral("\\b(r\\d+)=(\\d+)"));
  QTableView& table = kernels().table();
  QString name;
  for (int row = 0; row < table.model()->rowCount() && name.isEmpty(); ++row) {
    table.selectRow(row);
    ASSERT_TRUE(
        waitFor([&] { return kernels().sizesToTry().placeholderText() != QStringLiteral("sizes: r0=128"); }, kLong));
    if (!table.model()->index(row, KernelTableModel::NameColumn).data().toString().startsWith(QLatin1Char('E')))
      continue;
    const auto match = size.match(kernels().sizesToTry().placeholderText());
    if (match.hasMatch() && match.captured(2).toInt() > 1) name = match.captured(1);
  }
  ASSERT_FALSE(name.isEmpty()) << kernels().sizesToTry().placeholderText().toStdString();
  kernels().sizesToTry().setFocus();
  QTest::keyClicks(&kernels().sizesToTry(), name + QStringLiteral("=4"));
  QTest::keyClick(&kernels().sizesToTry(), Qt::Key_Return);
  ASSERT_TRUE(said(QStringLiteral("at %1=4: ").arg(name))) << kernels().said().text().toStdString();
  EXPECT_TRUE(kernels().said().text().contains(QStringLiteral("GB/s"))) << kernels().said().text().toStdString();
  EXPECT_TRUE(kernels().said().text().section(QStringLiteral("at ") + name, 1).contains(QStringLiteral(" ms")))
      << kernels().said().text().toStdString();
  // what it does not have is named
  kernels().sizesToTry().clear();
  QTest::keyClicks(&kernels().sizesToTry(), QStringLiteral("r77=4"));
  QTest::mouseClick(&kernels().run(), Qt::LeftButton);
  EXPECT_TRUE(said(QStringLiteral("the kernel has no size r77; it has r")));
}

TEST_F(WorkshopTest, TheOperationsOfAKernelAreToBeRead) {
  kernels().table().selectRow(1);
  kernels().kind().setCurrentIndex(2);
  ASSERT_TRUE(waitFor([&] { return kernels().source().toPlainText().contains(QStringLiteral("STORE")); }, kLong))
      << kernels().source().toPlainText().toStdString();
  const QStringList lines = kernels().source().toPlainText().split(QLatin1Char('\n'));
  EXPECT_GT(lines.size(), 4);
  for (qsizetype i = 0; i < lines.size(); ++i)
    EXPECT_EQ(lines[i].trimmed().section(QLatin1Char(' '), 0, 0), QString::number(i));
}

// A bar, a row, a point, a node: what is selected in one is selected in all.
TEST_F(WorkshopTest, EverythingSelectsEverything) {
  window_.resize(1400, 900);
  DispatchView& bars = window_.kernelDocks().timeline().view();
  RooflineView& points = window_.kernelDocks().roofline();
  PlaceTimesPanel& places = window_.kernelDocks().places();
  QTableView& table = kernels().table();
  const auto rowOf = [&](qlonglong item) {
    for (int row = 0; row < table.model()->rowCount(); ++row)
      if (table.model()->index(row, KernelTableModel::OrderColumn).data().toLongLong() == item) return row;
    return -1;
  };
  const auto all = [&](qlonglong item) {
    EXPECT_EQ(kernels().item(), item);
    EXPECT_EQ(table.currentIndex().row(), rowOf(item));
    EXPECT_EQ(bars.selected(), item);
    EXPECT_EQ(points.selected(), item);
    return window_.canvas().selected();
  };
  // a row
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                    table.visualRect(table.model()->index(1, KernelTableModel::NameColumn)).center());
  const qlonglong second = table.model()->index(1, KernelTableModel::OrderColumn).data().toLongLong();
  const auto node = all(second);
  ASSERT_TRUE(node);
  // a point of the roofline
  QTest::keyClick(&window_.canvas(), Qt::Key_R, Qt::AltModifier);
  ASSERT_TRUE(waitFor([&] { return points.isVisible(); }));
  const qlonglong first = table.model()->index(0, KernelTableModel::OrderColumn).data().toLongLong();
  QTest::mouseClick(&points, Qt::LeftButton, {}, points.pointOf(first).toPoint());
  const qlonglong under = points.selected();  // points lie close together
  EXPECT_NE(all(under), std::nullopt);
  // a bar of the timeline
  QTest::keyClick(&window_.canvas(), Qt::Key_D, Qt::AltModifier);
  ASSERT_TRUE(waitFor([&] { return bars.lastBars() > 0; }, kLong));
  bars.select(second);
  bars.fitSelection();
  bars.select(0);
  const int lane = static_cast<int>(bars.laneRect(0).center().y());
  for (int x = bars.width() - 20; x > 100 && bars.selected() == 0; x -= 5)
    QTest::mouseClick(&bars, Qt::LeftButton, {}, QPoint(x, lane));
  ASSERT_NE(bars.selected(), 0);
  EXPECT_NE(all(bars.selected()), std::nullopt);
  // a node of the kernel graph
  table.selectionModel()->clear();
  window_.canvas().fitAll();
  QTest::mouseClick(&window_.canvas(), Qt::LeftButton, {}, window_.canvas().nodeRect(*node).center().toPoint());
  EXPECT_EQ(all(second), node);
  // and the place in the program, which the trace of a graph alone does not know
  QTest::keyClick(&window_.canvas(), Qt::Key_T, Qt::AltModifier);
  ASSERT_TRUE(waitFor([&] { return places.rows().rowCount() > 0; }, kLong)) << places.said().text().toStdString();
  EXPECT_EQ(places.rows().currentRow(), 0);
}

TEST_F(WorkshopTest, BuffersLiveFromTheirFirstUseToTheirLast) {
  QTest::keyClick(&window_.canvas(), Qt::Key_B, Qt::AltModifier);
  BufferPanel& panel = window_.kernelDocks().buffers();
  ASSERT_TRUE(waitFor([&] { return panel.said().text().contains(QStringLiteral("alive at once")); }, kLong))
      << panel.said().text().toStdString();
  auto reader = trace::Reader::open(block_.toStdString());
  ASSERT_TRUE(reader);
  const auto plot = bufferPlot(**reader);
  ASSERT_TRUE(plot);
  ASSERT_GT(plot->buffers.size(), 4U);
  EXPECT_EQ(static_cast<int>(plot->items.size()), kernels().table().model()->rowCount());
  int64_t own = 0;
  for (const BufferLife& b : plot->buffers) {
    EXPECT_GT(b.bytes, 0) << b.name;
    EXPECT_LE(b.first, b.last);
    if (!b.parameter) own += b.bytes;
  }
  // what is alive at once is less than all there ever is, and no less than what the caller has
  EXPECT_GT(own, 0);
  EXPECT_LE(plot->live[plot->peak], own + plot->parameters);
  EXPECT_GE(plot->live[plot->peak], plot->parameters);
  // a click in a bar selects the kernel under it, everywhere
  const auto own_buffer =
      static_cast<size_t>(std::ranges::find(plot->buffers, false, &BufferLife::parameter) - plot->buffers.begin());
  ASSERT_LT(own_buffer, plot->buffers.size());
  const QRectF bar = panel.view().barOf(own_buffer);
  QTest::mouseClick(&panel.view(), Qt::LeftButton, {}, QPointF(bar.left() + 1.5, bar.center().y()).toPoint());
  const int64_t item = plot->items[plot->buffers[own_buffer].first];
  EXPECT_EQ(panel.view().selected(), item);
  EXPECT_EQ(kernels().item(), item);
  EXPECT_EQ(window_.kernelDocks().roofline().selected(), item);
  // and a kernel that is selected elsewhere is marked here
  kernels().table().selectRow(0);
  EXPECT_EQ(panel.view().selected(), kernels().item());
}

TEST(Buffers, SizesAreReadable) {
  EXPECT_EQ(bytesText(512), "512 B");
  EXPECT_EQ(bytesText(4096), "4.00 KiB");
  EXPECT_EQ(bytesText(int64_t{100} << 20), "100 MiB");
}

#ifdef RANGESCOPE_HAS_PYTHON
TEST_F(WorkshopTest, TimeIsSummedByLineOfTheScriptAndByMethod) {
  const QString script = QString::fromStdString(folder_.file("sums.py")),
                out = QString::fromStdString(folder_.file("sums.rscope"));
  QFile file(script);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(
      "from rangescope import Tensor\n"
      "x = Tensor.ones(64, 64).contiguous().realize()\n"
      "y = (x @ x).realize()\n"
      "z = y.softmax().realize()\n");
  file.close();
  ASSERT_EQ(QProcess::execute(kRangescope, {QStringLiteral("record"), script, QStringLiteral("-o"), out}), 0);
  window_.openTrace(out);
  ASSERT_TRUE(waitFor([&] { return window_.session().summary().path == out && window_.settled(); }, kLong));
  QTest::keyClick(&window_.canvas(), Qt::Key_T, Qt::AltModifier);
  PlaceTimesPanel& places = window_.kernelDocks().places();
  ASSERT_TRUE(waitFor([&] { return places.rows().rowCount() > 0; }, kLong)) << places.said().text().toStdString();
  const auto row = [&](const QString& place) {
    for (int i = 0; i < places.rows().rowCount(); ++i)
      if (places.rows().item(i, 0)->text() == place) return i;
    return -1;
  };
  const int product = row(QStringLiteral("sums.py:3")), softmax = row(QStringLiteral("sums.py:4"));
  ASSERT_GE(product, 0);
  ASSERT_GE(softmax, 0);
  EXPECT_EQ(places.rows().item(product, 3)->text(), QStringLiteral("1"));
  EXPECT_EQ(places.rows().item(softmax, 3)->text(), QStringLiteral("3"));
  double share = 0;
  for (int i = 0; i < places.rows().rowCount(); ++i)
    share += places.rows().item(i, 1)->text().section(QLatin1Char(' '), 0, 0).toDouble();
  EXPECT_NEAR(share, 100, 0.5);
  // a line selects its kernel, and a kernel its line
  QTest::mouseClick(places.rows().viewport(), Qt::LeftButton, {},
                    places.rows().visualRect(places.rows().model()->index(product, 0)).center());
  EXPECT_EQ(window_.kernelDocks().roofline().selected(), kernels().item());
  const qlonglong item = kernels().item();
  EXPECT_NE(item, 0);
  for (int r = 0; r < kernels().table().model()->rowCount(); ++r) {
    kernels().table().selectRow(r);
    EXPECT_EQ(places.rows().currentRow() == product, kernels().item() == item);
  }
  QTest::mouseClick(&places.tabs(), Qt::LeftButton, {}, places.tabs().tabRect(1).center());
  EXPECT_GE(row(QStringLiteral("softmax")), 0);
}
#endif

TEST_F(WorkshopTest, WhatIfGetsItsTimesWhereTheTraceHasSome) {
  QTest::keyClick(&window_.canvas(), Qt::Key_W, Qt::ShiftModifier);
  WhatIfPanel& panel = window_.whatIf().panel();
  ASSERT_TRUE(
      waitFor([&] { return panel.rows().rowCount() == 1 && !panel.rows().item(0, 3)->text().isEmpty(); }, kLong));
  QTest::keyClicks(panel.rule().lineEdit(), QStringLiteral("remove-stage"));
  QTest::mouseClick(&panel.run(), Qt::LeftButton);
  // first the answer, in which no kernel is missing on either side; then its times
  ASSERT_TRUE(waitFor([&] { return panel.said().text().contains(QStringLiteral("kernels instead of")); }, kLong))
      << panel.said().text().toStdString();
  EXPECT_EQ(window_.diff().times().rowCount(), 0);
  QTableWidget& parts = window_.diff().panel().parts();
  for (int row = 0; row < parts.rowCount(); ++row)
    EXPECT_FALSE(parts.item(row, 1)->text().contains(QStringLiteral("alone"))) << row;
  ASSERT_TRUE(waitFor([&] { return panel.said().text().contains(QStringLiteral("times as long")); }, kLong))
      << panel.said().text().toStdString();
  EXPECT_TRUE(panel.rows().item(1, 3)->text().endsWith(QStringLiteral(" ms")));
  ASSERT_TRUE(waitFor([&] { return window_.diff().times().rowCount() > 2; }, kLong));
}

TEST(Kernels, CodeOfAnotherCompilerIsNamedAndOnlyRead) {
  KernelPanel panel;
  KernelRow ours, theirs;
  ours.item = ours.kernel = 1, ours.name = "ours", ours.source = "#version 460\nvoid main() {}";
  theirs.item = theirs.kernel = 2, theirs.name = "theirs";
  theirs.source = "void E_4(float* restrict data0) {\n  *(data0) = 1.0f;\n}";
  panel.setRows({ours, theirs});
  panel.table().selectRow(0);
  EXPECT_EQ(panel.kind().itemText(0), QStringLiteral("GLSL"));
  EXPECT_TRUE(panel.edit().isEnabled());
  EXPECT_TRUE(panel.run().isEnabled());
  panel.table().selectRow(1);
  EXPECT_EQ(panel.kind().itemText(0), QStringLiteral("C"));
  EXPECT_TRUE(panel.source().toPlainText().startsWith(QStringLiteral("void E_4")));
  EXPECT_FALSE(panel.edit().isEnabled());
  EXPECT_FALSE(panel.run().isEnabled());
  EXPECT_TRUE(panel.run().toolTip().contains(QStringLiteral("another compiler (C)")));
  EXPECT_EQ(languageOf(QStringLiteral("__kernel void f(__global float* a) {}")), QStringLiteral("OpenCL"));
  EXPECT_EQ(languageOf(QStringLiteral("#include <metal_stdlib>\nkernel void f() {}")), QStringLiteral("Metal"));
}

TEST_F(WorkshopTest, ValuesOfTheChosenKernelAreShown) {
  kernels().table().selectRow(1);
  QTest::mouseClick(window_.findChild<QPushButton*>(QStringLiteral("kernelValues")), Qt::LeftButton);
  ValuesPanel& values = window_.workshop().values();
  EXPECT_TRUE(values.isVisible());
  ASSERT_TRUE(waitFor([&] { return values.said().text().contains(QStringLiteral("mean")); }, kLong))
      << values.said().text().toStdString();
  EXPECT_GE(values.buffers().count(), 2);
  EXPECT_TRUE(values.buffers().currentText().contains(QStringLiteral("written")));
  EXPECT_GT(values.table().model()->rowCount(), 0);
  EXPECT_FALSE(values.firstBad().isVisible());
}

TEST_F(WorkshopTest, KernelsOfTwoRunsStandSideBySide) {
  window_.compareWith(block_);
  TimesDiffPanel& times = window_.diff().times();
  ASSERT_TRUE(waitFor([&] { return times.rowCount() > 0; }, kLong));
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
