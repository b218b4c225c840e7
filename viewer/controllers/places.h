#pragma once
// Where one looked in the graphs of a trace: of every pass while the window is open, of the last one from one day to
// the next. A place is kept beside a node, since the same graph is laid out elsewhere when one comes from another pass.

#include <QString>
#include <map>
#include <optional>

#include "viewer/canvas/graph_canvas.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

class Places {
 public:
  void remember(const StepAddress& address, const SceneFrame& frame, const GraphCanvas::Place& place);
  // Of this step, in this frame of it; none: it was not looked at, or shows another graph now.
  std::optional<GraphCanvas::Place> recall(const StepAddress& address, const SceneFrame& frame) const;

  // Another trace: what was kept of it, if it is still the same.
  void open(const QString& trace, int64_t matches, int64_t nodes);
  std::optional<StepAddress> last() const { return last_; }
  // To the settings, for the next time that this trace is opened.
  void save() const;

 private:
  struct Seen {
    int64_t step = 0;
    double scale = 1;
    size_t node = 0;        // in the order of the graph
    std::string title;      // of that node
    double dx = 0, dy = 0;  // from it to the middle of the view
  };
  QString key_;
  int64_t matches_ = 0, nodes_ = 0;
  std::map<int64_t, Seen> seen_;  // by pass
  std::optional<StepAddress> last_;
};

}  // namespace rangescope::viewer
