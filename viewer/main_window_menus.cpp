// Menus and keys of the window. Every key stands in a menu too.

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPalette>
#include <QStatusBar>
#include <QStyle>
#include <QStyleFactory>
#include <QTextBrowser>
#include <QTextDocument>
#include <QVBoxLayout>

#include "viewer/canvas/export.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/diff_dock.h"
#include "viewer/kernel_docks.h"
#include "viewer/kernel_workshop.h"
#include "viewer/lesson_dock.h"
#include "viewer/main_window.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/loops_panel.h"
#include "viewer/panels/message_bar.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/script_panel.h"
#include "viewer/panels/timeline_bar.h"
#include "viewer/save_file.h"
#include "viewer/script_dock.h"
#include "viewer/tool_docks.h"
#include "viewer/what_if_dock.h"

namespace rangescope::viewer {

QAction* MainWindow::action(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                            std::function<void()> does) {
  auto* a = new QAction(text, this);
  a->setShortcuts(keys);
  connect(a, &QAction::triggered, this, [does = std::move(does)] { does(); });
  menu->addAction(a);
  if (!keys.isEmpty()) keyed_ << a;
  return a;
}

void MainWindow::buildMenus() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  action(file, tr("&Open..."), {QKeySequence::Open}, [this] { chooseFile(); });
  action(file, tr("&Compare with another trace..."), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
         [this] { chooseOther(); });
  action(file, tr("&Export view..."), {QKeySequence(Qt::CTRL | Qt::Key_E)}, [this] { exportView(); });
  file->addSeparator();
  action(file, tr("&Quit"), {QKeySequence::Quit}, [this] { close(); });

  QMenu* go = menuBar()->addMenu(tr("&Go"));
  action(go, tr("Next match"), {QKeySequence(Qt::Key_Right)}, [this] { navigator_.stepBy(1); });
  action(go, tr("Match before"), {QKeySequence(Qt::Key_Left)}, [this] { navigator_.stepBy(-1); });
  action(go, tr("Ten matches on"), {QKeySequence(Qt::SHIFT | Qt::Key_Right)}, [this] { navigator_.stepBy(10); });
  action(go, tr("Ten matches back"), {QKeySequence(Qt::SHIFT | Qt::Key_Left)}, [this] { navigator_.stepBy(-10); });
  action(go, tr("Input of the pass"), {QKeySequence(Qt::Key_Home)}, [this] { navigator_.firstStep(); });
  action(go, tr("End of the pass"), {QKeySequence(Qt::Key_End)}, [this] { navigator_.lastStep(); });
  followAction_ =
      action(go, tr("Newest match of a recording, whenever one comes"), {QKeySequence(Qt::SHIFT | Qt::Key_End)}, [] {});
  followAction_->setCheckable(true);
  connect(followAction_, &QAction::toggled, this, &MainWindow::setFollowing);
  action(go, tr("Next pass"), {QKeySequence(Qt::Key_Down)}, [this] { navigator_.nextPass(); });
  action(go, tr("Pass before"), {QKeySequence(Qt::Key_Up)}, [this] { navigator_.previousPass(); });
  action(go, tr("Kernel graph"), {QKeySequence(Qt::Key_K)}, [this] { goToKernelGraph(); });
  kernelDocks_->addActions([&](const QString& text, const QList<QKeySequence>& keys, std::function<void()> does) {
    action(go, text, keys, std::move(does));
  });
  go->addSeparator();
  action(go, tr("Play or pause"), {QKeySequence(Qt::Key_P)}, [this] { navigator_.togglePlay(); });
  go->addSeparator();
  backAction_ = action(go, tr("Back"), {QKeySequence(Qt::ALT | Qt::Key_Left), QKeySequence(Qt::Key_Backspace)},
                       [this] { navigator_.back(); });
  forwardAction_ = action(go, tr("Forward"), {QKeySequence(Qt::ALT | Qt::Key_Right)}, [this] { navigator_.forward(); });
  backAction_->setEnabled(false);
  forwardAction_->setEnabled(false);

  go->addSeparator();
  diff_->addActions([&](const QString& text, const QList<QKeySequence>& keys, std::function<void()> does) {
    action(go, text, keys, std::move(does));
  });

  const auto add = [&](const QString& text, const QList<QKeySequence>& keys, std::function<void()> does) {
    action(go, text, keys, std::move(does));
  };
  lessons_->addActions(add);
  whatIf_->addActions(add);
  script_->addActions(add);

  QMenu* find = menuBar()->addMenu(tr("F&ind"));
  tools_->addActions([&](const QString& text, const QList<QKeySequence>& keys, std::function<void()> does) {
    action(find, text, keys, std::move(does));
  });
  action(find, tr("Filter the passes by name"), {QKeySequence::Find}, [this] { passTree_->filter().setFocus(); });

  QMenu* view = menuBar()->addMenu(tr("&View"));
  action(view, tr("Fit the graph"), {QKeySequence(Qt::Key_Space)}, [this] { canvas_->fitAll(); });
  action(view, tr("Fit the change"), {QKeySequence(Qt::Key_F)}, [this] { canvas_->fitChange(); });
  action(view, tr("Fit the selection"), {QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)},
         [this] { canvas_->fitSelection(); });
  action(view, tr("Zoom in"), {QKeySequence::ZoomIn, QKeySequence(Qt::Key_Plus)}, [this] { canvas_->zoomIn(); });
  action(view, tr("Zoom out"), {QKeySequence::ZoomOut, QKeySequence(Qt::Key_Minus)}, [this] { canvas_->zoomOut(); });
  action(view, tr("Reading size"), {QKeySequence(Qt::Key_1)}, [this] { canvas_->zoomToReadingSize(); });
  view->addSeparator();
  const auto toggle = [&](const QString& text, const QKeySequence& key, bool on, std::function<void(bool)> does) {
    QAction* a = action(view, text, {key}, [] {});
    a->setCheckable(true);
    a->setChecked(on);
    connect(a, &QAction::toggled, this, [does = std::move(does)](bool checked) { does(checked); });
    return a;
  };
  timesAction_ =
      toggle(tr("Times over the kernel graph"), QKeySequence(Qt::Key_T), times_, [this](bool on) { setTimes(on); });
  action(view, tr("Next measure: time, GFLOP/s, GB/s, share"), {QKeySequence(Qt::Key_M)},
         [this] { setMeasure(static_cast<Measure>((static_cast<size_t>(measure_) + 1) % kMeasures)); });
  toggle(tr("Constants as nodes"), QKeySequence(Qt::Key_C), filters_.constants, [this](bool on) {
    filters_.constants = on;
    refreshPicture();
  });
  toggle(tr("Bodies of calls"), QKeySequence(Qt::Key_G), filters_.callBodies, [this](bool on) {
    filters_.callBodies = on;
    refreshPicture();
  });
  toggle(tr("SINK"), QKeySequence(Qt::Key_S), filters_.sink, [this](bool on) {
    filters_.sink = on;
    refreshPicture();
  });
  toggle(tr("Index arithmetic"), QKeySequence(Qt::Key_I), filters_.indexing, [this](bool on) {
    filters_.indexing = on;
    refreshPicture();
  });
  toggle(tr("What the rule's pattern names"), QKeySequence(Qt::Key_Y), captures_, [this](bool on) {
    captures_ = on;
    showMarks();
  });
  lensAction_ = toggle(tr("Rangeify lens"), QKeySequence(Qt::Key_R), false, [this](bool on) {
    filters_.lens = on;
    refreshPicture();
  });
  action(view, tr("Loops as pseudo-code"), {QKeySequence(Qt::ALT | Qt::Key_L)}, [this] {
    openPanel(QStringLiteral("loops"));
    loops_->setFocus(Qt::ShortcutFocusReason);
  });
  mapAction_ = toggle(tr("Map of the whole graph"), QKeySequence(Qt::Key_V), canvas_->minimapShown(),
                      [this](bool on) { canvas_->setMinimapShown(on); });
  view->addSeparator();
  darkAction_ = toggle(tr("Dark"), QKeySequence(Qt::CTRL | Qt::Key_D), false, [this](bool on) { setDark(on); });
  toggle(tr("Colours for colour-blind eyes"), QKeySequence(Qt::CTRL | Qt::Key_B), false, [this](bool on) {
    filters_.palette = on ? Palette::Safe : Palette::Known;
    refreshPicture();
  });
  toggle(tr("Reduced motion"), QKeySequence(Qt::CTRL | Qt::Key_M), false,
         [this](bool on) { canvas_->setReducedMotion(on); });
  view->addSeparator();
  for (QDockWidget* dock : findChildren<QDockWidget*>()) view->addAction(dock->toggleViewAction());

  QMenu* help = menuBar()->addMenu(tr("&Help"));
  int lesson = 0;
  for (const QString& title : lessons_->titles()) {
    help->addAction(tr("Lesson %1").arg(title), this, [this, lesson] { lessons_->openLesson(lesson); });
    ++lesson;
  }
  help->addSeparator();
  action(help, tr("List of keys"), {QKeySequence(Qt::Key_Question)}, [this] { showKeys(); });
}

void MainWindow::setTimes(bool on) {
  times_ = on;
  refreshPicture();
}

void MainWindow::setMeasure(Measure measure) {
  measure_ = measure;
  timeline_->setMeasure(static_cast<int>(measure));
  if (!times_)
    timesAction_->setChecked(true);  // which shows it
  else
    refreshPicture();
}

void MainWindow::setDark(bool dark) {
  darkAction_->setChecked(dark);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QPalette p = QApplication::style()->standardPalette();
  if (dark) {
    const QColor window(0x24272c), base(0x1b1d21), text(0xe4e6ea), muted(0x8b9098);
    for (const auto role : {QPalette::Window, QPalette::Button}) p.setColor(role, window);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, QColor(0x212429));
    p.setColor(QPalette::ToolTipBase, window);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
      p.setColor(role, text);
    p.setColor(QPalette::PlaceholderText, muted);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
      p.setColor(QPalette::Disabled, role, muted);
    p.setColor(QPalette::Link, QColor(0x82b1ff));
    p.setColor(QPalette::Highlight, QColor(0x2f5d9b));
    p.setColor(QPalette::HighlightedText, Qt::white);
  } else {
    p.setColor(QPalette::Highlight, QColor(0x2f6fbf));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
      p.setColor(QPalette::Disabled, role, QColor(0x6b6f76));  // 5:1 on white
  }
  QApplication::setPalette(p);
  canvas_->setTheme(dark ? CanvasTheme::darkTheme() : CanvasTheme::light());
  QPalette boxes = p;  // their frames and ticks are drawn from these, and are lost on a dark ground
  if (dark) boxes.setColor(QPalette::Base, QColor(0x4b515b));
  QApplication::setPalette(boxes, "QCheckBox");
  kernels_->setDark(dark);
  script_->panel().setDark(dark);
  workshop_->setDark(dark);
  kernelDocks_->setTheme(canvas_->theme());
  messageBar_->setDark(dark);
  diff_->themeChanged(dark);
  inspector_->themeChanged();
  rulePanel_->themeChanged();
  tools_->themeChanged();
}

void MainWindow::chooseFile() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open"), {},
                                                    tr("Traces (*.rscope);;Scripts, models and programs, to be "
                                                       "recorded (*.py *.onnx *.jsonl *.jsonl.gz);;All files (*)"));
  if (!path.isEmpty()) openFile(path);
}

void MainWindow::chooseOther() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Compare with"), {}, tr("Traces (*.rscope);;All files (*)"));
  if (!path.isEmpty()) compareWith(path);
}

void MainWindow::exportView() {
  if (!canvas_->frame()) {
    statusBar()->showMessage(tr("There is no graph to export yet."));
    return;
  }
  const QString path = QFileDialog::getSaveFileName(this, tr("Export view"), tr("graph.svg"),
                                                    tr("SVG (*.svg);;PNG (*.png);;PDF (*.pdf)"));
  if (path.isEmpty()) return;
  ExportOptions options;
  options.theme = canvas_->theme();
  options.heat = canvas_->heatShown();
  exporting_.request(
      "export", this,
      [this, path, options, frame = canvas_->frame(),
       title = windowTitle()](const std::stop_token& stop) -> Background::Answer {
        const bool png = path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
        const bool pdf = path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive);
        const QByteArray bytes = png   ? pngBytes(renderImage(*frame, options))
                                 : pdf ? renderPdf(*frame, title, options)
                                       : renderSvg(*frame, title, options);
        if (stop.stop_requested()) return {};
        const auto saved = saveFile(path.toStdString(), bytes);
        return [this, said = saved ? tr("Written: %1").arg(path) : QString::fromStdString(saved.error().message)] {
          statusBar()->showMessage(said);
        };
      });
}

void MainWindow::showKeys() {
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Keys"));
  dialog->setObjectName(QStringLiteral("keys"));
  const auto cells = [](const QAction* a) {
    QStringList keys;
    for (const QKeySequence& k : a->shortcuts()) keys << k.toString(QKeySequence::NativeText).toHtmlEscaped();
    return QStringLiteral("<td style='padding-right:12px'><b>%1</b></td><td style='padding-right:24px'>%2</td>")
        .arg(keys.join(QStringLiteral(", ")), a->text().remove(QLatin1Char('&')).toHtmlEscaped());
  };
  // in columns, so that all of it is seen at once
  constexpr qsizetype kColumns = 3;
  const qsizetype rows = (keyed_.size() + kColumns - 1) / kColumns;
  QString s = QStringLiteral("<table cellspacing='3'>");
  for (qsizetype i = 0; i < rows; ++i) {
    s += QStringLiteral("<tr>");
    for (qsizetype k = i; k < keyed_.size(); k += rows) s += cells(keyed_[k]);
    s += QStringLiteral("</tr>");
  }
  s +=
      tr("</table><p>Drag pans, the wheel zooms at the pointer. A click selects, a double click lights a node's "
         "neighbourhood, Escape widens again.</p>");
  auto* text = new QTextBrowser(dialog);
  text->setFrameShape(QFrame::NoFrame);
  text->setHtml(s);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(text);
  // the browser's own document has the width of a window that is not laid out yet
  QTextDocument measured;
  measured.setDefaultFont(text->font());
  measured.setHtml(s);
  measured.setTextWidth(1080);
  dialog->resize(1130, static_cast<int>(measured.size().height()) + 40);
  dialog->show();
}

}  // namespace rangescope::viewer
