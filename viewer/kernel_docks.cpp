#include "viewer/kernel_docks.h"

#include <QDockWidget>
#include <QLabel>
#include <QTableWidget>
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "viewer/model/qt_text.h"
#include "viewer/panels/buffer_view.h"
#include "viewer/panels/dispatch_panel.h"
#include "viewer/panels/place_times_panel.h"
#include "viewer/panels/roofline_view.h"

namespace rangescope::viewer {

KernelDocks::KernelDocks(QMainWindow& window, QDockWidget* beside)
    : QObject(&window),
      timeline_(new DispatchPanel(&window)),
      roofline_(new RooflineView(&window)),
      places_(new PlaceTimesPanel(&window)),
      buffers_(new BufferPanel(&window)) {
  const auto dock = [&](const QString& title, const char* name, QWidget* content) {
    return tabDock(window, title, name, content, beside);
  };
  timelineDock_ = dock(tr("Timeline"), "timelineDock", timeline_);
  rooflineDock_ = dock(tr("Roofline"), "rooflineDock", roofline_);
  placesDock_ = dock(tr("Time by line"), "placesDock", places_);
  connect(placesDock_, &QDockWidget::visibilityChanged, this, [this](bool visible) {
    if (visible) sum();
  });
  buffersDock_ = dock(tr("Buffers"), "buffersDock", buffers_);
  connect(buffersDock_, &QDockWidget::visibilityChanged, this, [this](bool visible) {
    if (visible) plot();
  });
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
  wire(places_);
  wire(&buffers_->view());
}

void KernelDocks::addActions(const AddAction& add) {
  add(tr("Timeline of dispatches"), {QKeySequence(Qt::ALT | Qt::Key_D)},
      [this] { bringUp(timelineDock_, &timeline_->view()); });
  add(tr("Roofline"), {QKeySequence(Qt::ALT | Qt::Key_R)}, [this] { bringUp(rooflineDock_, roofline_); });
  add(tr("Time by script line and layer"), {QKeySequence(Qt::ALT | Qt::Key_T)},
      [this] { bringUp(placesDock_, &places_->rows()); });
  add(tr("Buffers and memory"), {QKeySequence(Qt::ALT | Qt::Key_B)},
      [this] { bringUp(buffersDock_, &buffers_->view()); });
}

bool KernelDocks::open(const QString& panel) {
  const std::array<std::pair<QDockWidget*, QWidget*>, 4> docks{{{timelineDock_, &timeline_->view()},
                                                                {rooflineDock_, roofline_},
                                                                {placesDock_, &places_->rows()},
                                                                {buffersDock_, &buffers_->view()}}};
  const auto* at = std::ranges::find_if(docks, [&](const auto& d) { return d.first->widget()->objectName() == panel; });
  if (at == docks.end()) return false;
  bringUp(at->first, at->second);
  return true;
}

void KernelDocks::traceOpened(const QString& path, const std::vector<KernelRow>& kernels) {
  controller_.cancel();  // it reads the trace before
  path_ = path;
  loaded_.clear();
  timeline_->setTimeline(nullptr);
  timeline_->view().setKernels(kernels);
  roofline_->setKernels(kernels);
  background_.cancel("places");
  background_.cancel("buffers");
  summing_ = plotting_ = false;
  summed_.clear();
  plotted_.clear();
  places_->showTimes(nullptr);
  buffers_->setPlot(nullptr);
  select(0);
  if (timeline_->isVisible()) load();
  if (places_->isVisible()) sum();
  if (buffers_->isVisible()) plot();
}

void KernelDocks::plot() {
  if (path_.isEmpty() || plotted_ == path_) return;
  plotted_ = path_;
  plotting_ = true;
  background_.request("buffers", this, [this, path = path_](const std::stop_token&) -> Background::Answer {
    const auto reader = trace::Reader::open(path.toStdString());
    auto plot = reader ? bufferPlot(**reader) : Result<BufferPlot>(tl::unexpected(reader.error()));
    if (!plot)
      return [this, text = qtText(plot.error().message)] {
        plotting_ = false;
        buffers_->setMessage(text);
      };
    return [this, p = std::make_shared<const BufferPlot>(std::move(*plot))] {
      plotting_ = false;
      buffers_->setPlot(p);
    };
  });
}

// Goes through every pass: for who looks.
void KernelDocks::sum() {
  if (path_.isEmpty() || summed_ == path_) return;
  summed_ = path_;
  summing_ = true;
  places_->setMessage(tr("Following the program's nodes to the kernels ..."));
  background_.request("places", this, [this, path = path_](const std::stop_token& stop) -> Background::Answer {
    const auto fail = [this](const std::string& message) -> Background::Answer {
      return [this, text = qtText(message)] {
        summing_ = false;
        places_->setMessage(text);
      };
    };
    const auto reader = trace::Reader::open(path.toStdString());
    if (!reader) return fail(reader.error().message);
    const auto times = trace::last_item_times(**reader);
    if (!times) return fail(times.error().message);
    auto places = trace::time_by_place(**reader, *times, stop);
    if (!places) return fail(places.error().message);
    return [this, p = std::make_shared<const trace::TimeByPlace>(std::move(*places))] {
      summing_ = false;
      places_->showTimes(p);
    };
  });
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
  places_->select(item);
  buffers_->view().select(item);
}

void KernelDocks::setTheme(const CanvasTheme& theme) {
  timeline_->view().setTheme(theme);
  roofline_->setTheme(theme);
  buffers_->view().setTheme(theme);
}

}  // namespace rangescope::viewer
