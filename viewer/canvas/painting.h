#pragma once

#include "viewer/canvas/scene_painter.h"
#include "viewer/canvas/surface.h"

// The parts of renderScene, private to viewer/canvas.
namespace rangescope::viewer {

class ScenePainting {
 public:
  ScenePainting(Surface& surface, const ScenePaint& scene);
  PaintCounts run();

 private:
  enum class Lit : uint8_t { No, Source, User };

  // edges (paint_edges.cpp)
  void paintEdges();
  void paintLeavingEdges();
  QPainterPath edgePath(const Layout& layout, const EdgePath& path, Point fromOffset, Point toOffset) const;
  void addLines(const Layout& layout, const EdgePath& path, Point fromOffset, Point toOffset, QList<QLineF>& out) const;
  Lit litEdge(uint32_t edge) const;
  bool dimmedEdge(uint32_t edge) const;
  void paintSmoothEdge(uint32_t edge, Lit lit);
  void paintPort(const SceneEdge& edge, QPointF end, QRgb color);
  void paintThinEdges(const std::vector<uint32_t>& edges);
  void paintManyLit(const std::vector<uint32_t>& edges);

  // nodes (paint_nodes.cpp)
  void paintNodes();
  void paintFull(const SceneNode& node, const Rect& rect, double opacity, double ghostness);
  void paintName(const SceneNode& node, const Rect& rect, double opacity, double ghostness);
  void paintBox(const SceneNode& node, const Rect& rect, double opacity, double ghostness);
  void paintDensity(const std::vector<uint32_t>& nodes);
  void paintRings();
  void ring(uint32_t node, QRgb color, double width, double gap);
  void paintMarks();

  struct Look {
    QRgb fill;
    QRgb border;
    QRgb text;
  };
  Look look(const SceneNode& node, double ghostness) const;
  bool dimmed(uint32_t node) const { return s_.focus && !(*s_.focus)[node]; }
  QRgb faint(QRgb color, double part) const;  // towards the background
  Rect rectOf(uint32_t node) const {
    return s_.motion ? s_.motion->rect(node, s_.progress) : s_.frame->layout.nodes[node];
  }
  Point offsetOf(uint32_t node) const { return s_.motion ? s_.motion->offset(node, s_.progress) : Point{}; }

  Surface& out_;
  PainterSurface* pixels_;  // of out_, for all that is not in full detail
  const ScenePaint& s_;
  const SceneGraph& graph_;
  PaintScratch own_;
  PaintScratch& scratch_;
  Rect visible_;  // scene
  Detail detail_;
  bool whole_;  // all of it in full, however much that is
  PaintCounts counts_;
  std::vector<uint32_t>& nodes_;
};

}  // namespace rangescope::viewer
