#pragma once

#include <QByteArray>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "viewer/canvas/surface.h"

namespace rangescope::viewer {

// An SVG document that a person can read, search and style: nodes and edges are groups that say what they are, what is
// drawn alike shares a CSS class, and text is text. Numbers have one decimal.
class SvgSurface final : public Surface {
 public:
  SvgSurface();

  void place(const ViewTransform& view) override { place_ = view; }
  void box(const QRectF& area, double radius, const Ink& ink) override;
  void path(const QPainterPath& path, const Ink& ink) override;
  void triangle(const std::array<QPointF, 3>& corners, QRgb fill) override;
  void ramp(const QRectF& area, double radius, const std::vector<QRgb>& colors) override;
  void text(TextRole role, QPointF topLeft, std::string_view text, QRgb color) override;
  QSizeF size(TextRole role, std::string_view text) override;
  void beginNode(const SceneNode& node) override;
  void beginEdge(const SceneEdge& edge, const SceneNode& from, const SceneNode& to) override;
  void beginPart(const char* name) override;
  void end() override;

  // All that was drawn.
  QByteArray document(QSizeF size, const QString& title) const;

 private:
  // What is drawn alike has a class.
  struct Look {
    char kind;  // b: boxes, e: edges, h: their heads, t: text
    Ink ink;
    TextRole role;
    auto all() const { return std::tie(kind, ink.fill, ink.line, ink.width, ink.dashed, role); }
    bool operator<(const Look& o) const { return all() < o.all(); }
  };
  using Looks = std::map<Look, std::string>;
  const std::string& look(char kind, const Ink& ink, TextRole role = TextRole::Title);
  std::string css(const Look& look) const;

  struct Font {
    double ascent = 0, height = 0;
    std::string css;
  };
  TextMetrics metrics_;
  std::array<Font, kTextRoles> fonts_;
  ViewTransform place_;
  Looks looks_;
  std::vector<Looks::const_iterator> inOrder_;  // in which they came
  std::map<char, int> counts_;
  std::string defs_, body_;
  int ramps_ = 0;
};

}  // namespace rangescope::viewer
