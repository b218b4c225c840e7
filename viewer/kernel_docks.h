#pragma once
// What is seen of the kernels besides their table: dispatches over time, and the roofline. Read once somebody looks.

#include <QMainWindow>
#include <functional>
#include <vector>

#include "viewer/canvas/theme.h"
#include "viewer/controllers/timeline_controller.h"
#include "viewer/model/kernel_table_model.h"

class QDockWidget;

namespace rangescope::viewer {

class DispatchPanel;
class RooflineView;

class KernelDocks : public QObject {
  Q_OBJECT

 public:
  KernelDocks(QMainWindow& window, QDockWidget* beside);

  using AddAction =
      std::function<void(const QString& text, const QList<QKeySequence>& keys, std::function<void()> does)>;
  void addActions(const AddAction& add);
  void traceOpened(const QString& path, const std::vector<KernelRow>& kernels);
  void select(qlonglong item);  // without saying so
  void setTheme(const CanvasTheme& theme);
  bool open(const QString& panel);  // "timeline" or "roofline"; false: neither
  bool busy() const { return controller_.busy(); }
  TimelineController& controller() { return controller_; }

  DispatchPanel& timeline() { return *timeline_; }
  RooflineView& roofline() { return *roofline_; }

 signals:
  void itemChosen(qlonglong item);
  void itemActivated(qlonglong item);
  void keysToGraph();

 private:
  void show(QDockWidget* dock, QWidget* keys);
  void load();

  TimelineController controller_;
  DispatchPanel* timeline_;
  RooflineView* roofline_;
  QDockWidget *timelineDock_, *rooflineDock_;
  QString path_, loaded_;
};

}  // namespace rangescope::viewer
