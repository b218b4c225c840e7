#include "viewer/kernel_docks.h"

#include <QDockWidget>
#include <QLabel>

#include "viewer/panels/dispatch_panel.h"
#include "viewer/panels/roofline_view.h"

namespace rangescope::viewer {

KernelDocks::KernelDocks(QMainWindow& window, QDockWidget* beside)
    : QObject(&window), timeline_(new DispatchPanel(&window)), roofline_(new RooflineView(&window)) {
  const auto dock = [&](const QString& title, const char* name, QWidget* content) {
    auto* d = new QDockWidget(title, &window);
    d->setObjectName(QLatin1String(name));
    d->setWidget(content);
    window.tabifyDockWidget(beside, d);
    d->hide();
    return d;
  };
  timelineDock_ = dock(tr("Timeline"), "timelineDock", timeline_);
  rooflineDock_ = dock(tr("Roofline"), "rooflineDock", roofline_);
  connect(timelineDock_, &QDockWidget::visibilityChanged, this, [this](bool visible) {
    if (visible) load();
  });
  connect(&controller_, &TimelineController::loaded, timeline_, &DispatchPanel::setTimeline);
  connect(&controller_, &TimelineController::failed, this,
          [this](const QString& message) { timeline_->view().setMessage(message); });
  const auto wire = [this](auto* view) {
    using View = std::remove_pointer_t<decltype(view)>;
    connect(view, &View::itemChosen, this, [this](qlonglong item) {
      select(item);
      emit itemChosen(item);
    });
    connect(view, &View::itemActivated, this, &KernelDocks::itemActivated);
    connect(view, &View::left, this, &KernelDocks::keysToGraph);
  };
  wire(&timeline_->view());
  wire(roofline_);
}

void KernelDocks::addActions(const AddAction& add) {
  add(tr("Timeline of dispatches"), {QKeySequence(Qt::ALT | Qt::Key_D)},
      [this] { show(timelineDock_, &timeline_->view()); });
  add(tr("Roofline"), {QKeySequence(Qt::ALT | Qt::Key_R)}, [this] { show(rooflineDock_, roofline_); });
}

void KernelDocks::show(QDockWidget* dock, QWidget* keys) {
  dock->show();
  dock->raise();
  keys->setFocus(Qt::ShortcutFocusReason);
}

bool KernelDocks::open(const QString& panel) {
  for (QDockWidget* d : {timelineDock_, rooflineDock_})
    if (d->widget()->objectName() == panel) {
      d->show();
      d->raise();
      return true;
    }
  return false;
}

void KernelDocks::traceOpened(const QString& path, const std::vector<KernelRow>& kernels) {
  controller_.cancel();  // it reads the trace before
  path_ = path;
  loaded_.clear();
  timeline_->setTimeline(nullptr);
  timeline_->view().setKernels(kernels);
  roofline_->setKernels(kernels);
  select(0);
  if (timeline_->isVisible()) load();
}

// A million dispatches take a second to read: only for who looks.
void KernelDocks::load() {
  if (path_.isEmpty() || loaded_ == path_) return;
  loaded_ = path_;
  controller_.load(path_);
}

void KernelDocks::select(qlonglong item) {
  timeline_->view().select(item);
  roofline_->select(item);
}

void KernelDocks::setTheme(const CanvasTheme& theme) {
  timeline_->view().setTheme(theme);
  roofline_->setTheme(theme);
}

}  // namespace rangescope::viewer
