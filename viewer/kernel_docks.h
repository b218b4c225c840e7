#pragma once
// What is seen of the kernels besides their table: dispatches over time, the roofline, where in the program the time
// goes, and the buffers. Read once somebody looks.

#include <vector>

#include "viewer/canvas/theme.h"
#include "viewer/controllers/background.h"
#include "viewer/controllers/timeline_controller.h"
#include "viewer/docks.h"
#include "viewer/model/kernel_table_model.h"

namespace rangescope::viewer {

class BufferPanel;
class DispatchPanel;
class PlaceTimesPanel;
class RooflineView;

class KernelDocks : public QObject {
  Q_OBJECT

 public:
  KernelDocks(QMainWindow& window, QDockWidget* beside);

  void addActions(const AddAction& add);
  void traceOpened(const QString& path, const std::vector<KernelRow>& kernels);
  void select(qlonglong item);  // without saying so
  void setTheme(const CanvasTheme& theme);
  bool open(const QString& panel);  // "timeline", "roofline", "places" or "buffers"; false: none of these
  bool busy() const { return controller_.busy() || summing_ || plotting_; }
  TimelineController& controller() { return controller_; }

  DispatchPanel& timeline() { return *timeline_; }
  RooflineView& roofline() { return *roofline_; }
  PlaceTimesPanel& places() { return *places_; }
  BufferPanel& buffers() { return *buffers_; }

 signals:
  void itemChosen(qlonglong item);
  void itemActivated(qlonglong item);
  void keysToGraph();

 private:
  void load();
  void sum();
  void plot();

  TimelineController controller_;
  DispatchPanel* timeline_;
  RooflineView* roofline_;
  PlaceTimesPanel* places_;
  BufferPanel* buffers_;
  QDockWidget *timelineDock_, *rooflineDock_, *placesDock_, *buffersDock_;
  QString path_, loaded_, summed_, plotted_;
  bool summing_ = false, plotting_ = false;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
