#include "viewer/canvas/svg_surface.h"

#include <fmt/format.h>

#include <QFontInfo>
#include <QFontMetricsF>
#include <algorithm>
#include <charconv>
#include <cmath>

namespace rangescope::viewer {

namespace {

// Coordinates are written in tenths, and differences taken between those: what is rounded does not add up.
int64_t tenths(double v) {
  return std::isfinite(v) ? static_cast<int64_t>(std::llround(std::clamp(v, -1e12, 1e12) * 10)) : 0;
}

void addTenths(std::string& out, int64_t n) {
  if (n < 0) out += '-', n = -n;
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, n / 10).ptr;
  out.append(digits, end);
  if (n % 10 != 0) out += '.', out += static_cast<char>('0' + n % 10);
}

// Of a path: only a sign or a letter needs no space before it.
void addNext(std::string& out, int64_t n) {
  if (n >= 0 && out.back() >= '0' && out.back() <= '9') out += ' ';
  addTenths(out, n);
}

void addAttribute(std::string& out, const char* name, double value) {
  out += ' ', out += name, out += "=\"";
  addTenths(out, tenths(value));
  out += '"';
}

// Labels come from traces, which may come from strangers: what XML does not allow is replaced.
void addEscaped(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
  std::string clean;
  if (!plain) {
    QString s = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    for (QChar& c : s)
      if (c.unicode() < 0x20 || (c.unicode() & 0xfffe) == 0xfffe) c = QChar::ReplacementCharacter;
    clean = s.toStdString();
    text = clean;
  }
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
}

// `property:#rrggbb`, with its opacity where it has one.
std::string paint(const char* property, QRgb color) {
  if (qAlpha(color) == 0) return fmt::format("{}:none;", property);
  std::string s = fmt::format("{}:#{:06x};", property, color & 0xffffffU);
  if (qAlpha(color) < 255) s += fmt::format("{}-opacity:{:.2f};", property, qAlpha(color) / 255.0);
  return s;
}

const char* stateName(NodeState state) {
  switch (state) {
    case NodeState::Match:
      return " match";
    case NodeState::New:
      return " new";
    case NodeState::Ghost:
      return " ghost";
    case NodeState::Normal:
      break;
  }
  return "";
}

const char* stateName(EdgeState state) {
  return state == EdgeState::Resourced ? " resourced" : state == EdgeState::Ghost ? " ghost" : "";
}

}  // namespace

SvgSurface::SvgSurface() {
  for (size_t role = 0; role < kTextRoles; role++) {
    const QFont font = canvasFont(static_cast<TextRole>(role));
    const QFontMetricsF metrics(font);
    // The font that sizes were taken in, by its own name: a browser knows no aliases of a desktop.
    fonts_[role] = {metrics.ascent(), std::ceil(metrics.ascent() + metrics.descent()),
                    fmt::format("font-family:'{}',{};font-size:{}px;font-weight:{};",
                                QFontInfo(font).family().remove('\'').toStdString(),
                                static_cast<TextRole>(role) == TextRole::Line ? "monospace" : "sans-serif",
                                font.pixelSize(), font.bold() ? 700 : 400)};
  }
}

const std::string& SvgSurface::look(char kind, const Ink& ink, TextRole role) {
  const auto [at, added] = looks_.try_emplace({kind, ink, role});
  if (added) {
    at->second = kind + std::to_string(++counts_[kind]);
    inOrder_.emplace_back(at);
  }
  return at->second;
}

std::string SvgSurface::css(const Look& look) const {
  std::string s = paint("fill", look.ink.fill);
  if (look.kind == 't') return s + fonts_[static_cast<size_t>(look.role)].css;
  if (qAlpha(look.ink.line) == 0) return s;
  s += paint("stroke", look.ink.line) + fmt::format("stroke-width:{:.4g};", look.ink.width);
  if (look.ink.dashed) s += fmt::format("stroke-dasharray:{:.4g},{:.4g};", 4 * look.ink.width, 2 * look.ink.width);
  // as pens are where nothing else is said
  if (look.ink.dashed && look.kind == 'b') s += "stroke-linecap:square;";
  if (look.kind == 'e') s += "stroke-linejoin:round;";
  return s;
}

void SvgSurface::box(const QRectF& area, double radius, const Ink& ink) {
  const QRectF at = place_.toScreen({area.x(), area.y(), area.width(), area.height()});
  body_ += "<rect class=\"" + look('b', ink) + '"';
  addAttribute(body_, "x", at.x());
  addAttribute(body_, "y", at.y());
  addAttribute(body_, "width", at.width());
  addAttribute(body_, "height", at.height());
  if (radius > 0) addAttribute(body_, "rx", std::min({radius * place_.scale, at.width() / 2, at.height() / 2}));
  body_ += "/>";
}

void SvgSurface::path(const QPainterPath& path, const Ink& ink) {
  body_ += "<path class=\"" + look('e', ink) + "\" d=\"";
  int64_t x = 0, y = 0, nextX = 0, nextY = 0;  // where the part of before ended, and where this point is
  int left = 0;                                // points of a curve that are still to come
  for (int i = 0; i < path.elementCount(); i++) {
    const QPainterPath::Element e = path.elementAt(i);
    const QPointF at = place_.toScreen(Point{e.x, e.y});
    nextX = tenths(at.x()), nextY = tenths(at.y());
    switch (e.type) {
      case QPainterPath::MoveToElement:
        body_ += 'M';
        addNext(body_, nextX);
        addNext(body_, nextY);
        break;
      case QPainterPath::LineToElement:
        body_ += nextX == x ? 'v' : nextY == y ? 'h' : 'l';
        if (nextX != x) addNext(body_, nextX - x);
        if (nextY != y || nextX == x) addNext(body_, nextY - y);
        break;
      case QPainterPath::CurveToElement:
        body_ += 'c', left = 3;
        [[fallthrough]];
      case QPainterPath::CurveToDataElement:
        addNext(body_, nextX - x);
        addNext(body_, nextY - y);
        if (--left > 0) continue;  // the others too are counted from where the curve began
        break;
    }
    x = nextX, y = nextY;
  }
  body_ += "\"/>";
}

void SvgSurface::triangle(const std::array<QPointF, 3>& corners, QRgb fill) {
  QPainterPath path(corners[0]);
  body_ += "<path class=\"" + look('h', {.fill = fill}) + "\" d=\"";
  int64_t x = 0, y = 0;
  for (size_t i = 0; i < 3; i++) {
    const QPointF at = place_.toScreen(Point{corners[i].x(), corners[i].y()});
    body_ += i == 0 ? 'M' : 'l';
    addNext(body_, tenths(at.x()) - x);
    addNext(body_, tenths(at.y()) - y);
    x = tenths(at.x()), y = tenths(at.y());
  }
  body_ += "z\"/>";
}

void SvgSurface::ramp(const QRectF& area, double radius, const std::vector<QRgb>& colors) {
  const std::string id = "ramp" + std::to_string(++ramps_);
  defs_ += "<linearGradient id=\"" + id + "\">";
  for (size_t k = 0; k < colors.size(); k++)
    defs_ += fmt::format(R"(<stop offset="{:.4g}" stop-color="#{:06x}"/>)",
                         static_cast<double>(k) / static_cast<double>(colors.size() - 1), colors[k] & 0xffffffU);
  defs_ += "</linearGradient>\n";
  const QRectF at = place_.toScreen({area.x(), area.y(), area.width(), area.height()});
  body_ += "<rect fill=\"url(#" + id + ")\"";
  addAttribute(body_, "x", at.x());
  addAttribute(body_, "y", at.y());
  addAttribute(body_, "width", at.width());
  addAttribute(body_, "height", at.height());
  addAttribute(body_, "rx", radius);
  body_ += "/>";
}

QSizeF SvgSurface::size(TextRole role, std::string_view text) {
  return {metrics_.width(role, text), fonts_[static_cast<size_t>(role)].height};
}

void SvgSurface::text(TextRole role, QPointF topLeft, std::string_view text, QRgb color) {
  const QPointF at = place_.toScreen(Point{topLeft.x(), topLeft.y() + fonts_[static_cast<size_t>(role)].ascent});
  body_ += "<text class=\"" + look('t', {.fill = color}, role) + '"';
  addAttribute(body_, "x", at.x());
  addAttribute(body_, "y", at.y());
  // Where the font is not there, another one shall take the room that the box has for this one.
  addAttribute(body_, "textLength", metrics_.width(role, text));
  body_ += '>';
  addEscaped(body_, text);
  body_ += "</text>";
}

void SvgSurface::beginNode(const SceneNode& node) {
  body_ += fmt::format(R"(<g class="node{}" id="n{}" data-op=")", stateName(node.state), node.key);
  addEscaped(body_, node.title);
  body_ += "\"><title>";
  addEscaped(body_, node.title);
  body_ += fmt::format(" {}</title>", node.key);
}

void SvgSurface::beginEdge(const SceneEdge& edge, const SceneNode& from, const SceneNode& to) {
  body_ += fmt::format(R"(<g class="edge{}" data-from="n{}" data-to="n{}" data-port="{}">)", stateName(edge.state),
                       from.key, to.key, edge.port);
}

void SvgSurface::beginPart(const char* name) {
  body_ += fmt::format("<g id=\"{}\">\n", name);
}

void SvgSurface::end() {
  body_ += "</g>\n";
}

QByteArray SvgSurface::document(QSizeF size, const QString& title) const {
  std::string head = R"(<?xml version="1.0" encoding="UTF-8"?>)"
                     "\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" xml:space=\"preserve\"";
  addAttribute(head, "width", size.width());
  addAttribute(head, "height", size.height());
  head += " viewBox=\"0 0";
  for (const double v : {size.width(), size.height()}) head += ' ', addTenths(head, tenths(v));
  head += "\">\n<title>";
  addEscaped(head, title.toStdString());
  head +=
      "</title>\n<desc>Made by Rangescope</desc>\n<style type=\"text/css\">\n"
      "/* b: boxes, e: edges, h: their heads, t: text. An op: .node[data-op=\"ADD\"] rect */\n";
  head += "text{white-space:pre}\n";
  for (const auto& at : inOrder_) head += '.' + at->second + '{' + css(at->first) + "}\n";
  head += "</style>\n";
  if (!defs_.empty()) head += "<defs>\n" + defs_ + "</defs>\n";
  QByteArray out;
  out.reserve(static_cast<qsizetype>(head.size()) + static_cast<qsizetype>(body_.size()) + 8);
  out.append(head.data(), static_cast<qsizetype>(head.size()));
  out.append(body_.data(), static_cast<qsizetype>(body_.size()));
  out.append("\n</svg>\n");
  return out;
}

}  // namespace rangescope::viewer
