// A pass as an animation: a GIF, a WebP, or a page that plays it in a browser and needs nothing else.

#include <fmt/format.h>

#include <QGuiApplication>
#include <QPainter>

#include "engine/ir/json_reader.h"
#include "viewer/animation_page.h"
#include "viewer/canvas/gif.h"
#include "viewer/canvas/op_style.h"
#include "viewer/canvas/scene_painter.h"
#include "viewer/model/step_scene.h"
#include "viewer/run_window.h"
#include "viewer/save_file.h"
#include "viewer/webp.h"

namespace rangescope::viewer {

namespace {

constexpr int kHoldMs = 900, kMotionMs = 250, kBetween = 4;
constexpr double kMostPixels = 1200, kCaption = 26;

struct Step {
  std::shared_ptr<const SceneFrame> frame;
  std::string rule, explanation;
};

Result<std::vector<Step>> stepsOf(trace::Reader& reader, const AnimationOptions& options) {
  const auto pass = passWithGraph(reader, options.pass);
  if (!pass) return tl::unexpected(pass.error());
  const int64_t last = options.to < 0 ? (*pass)->matches : std::min(options.to, (*pass)->matches);
  if (options.from < 0 || options.from > last)
    return tl::unexpected(Error{fmt::format("pass {} has {} matches: there is no step {} to begin at.", (*pass)->id,
                                            (*pass)->matches, options.from)});
  std::vector<Step> steps;
  const TextMetrics metrics;
  for (int64_t k = options.from; k <= last; ++k) {
    auto scene = stepScene(reader, {options.pass, k}, {});
    if (!scene) return tl::unexpected(scene.error());
    Step step;
    step.rule = scene->ruleName;
    if (scene->match)
      if (const trace::RuleInfo* rule = reader.rule(scene->match->rule)) step.explanation = rule->explanation;
    step.frame = SceneFrame::make(std::move(scene->graph), metrics, steps.empty() ? nullptr : steps.back().frame.get());
    steps.push_back(std::move(step));
  }
  return steps;
}

QImage picture(const SceneFrame& frame, const Motion* motion, double progress, const ViewTransform& view, QSize size,
               const CanvasTheme& theme, TextCache& text, const QString& caption) {
  QImage image(size, QImage::Format_RGB32);
  QPainter painter(&image);
  painter.fillRect(image.rect(), QColor::fromRgba(theme.background));
  ScenePaint scene;
  scene.frame = &frame, scene.view = view, scene.viewport = size, scene.theme = theme;
  scene.motion = motion, scene.progress = progress;
  PainterSurface surface(painter, text);
  renderScene(surface, scene);
  painter.fillRect(QRect(0, size.height() - 26, size.width(), 26),
                   QColor::fromRgba(mix(theme.background, theme.text, 0.07)));
  painter.setPen(QColor::fromRgba(theme.text));
  painter.setFont(canvasFont(TextRole::Hud));
  painter.drawText(QRect(10, size.height() - 26, size.width() - 20, 26), Qt::AlignVCenter | Qt::AlignLeft, caption);
  return image;
}

// Where one looks at each step: at all of it where that can be read, else at what changes, moving no more than needed.
std::vector<ViewTransform> viewsOf(const std::vector<Step>& steps, QSize& size) {
  constexpr double kMargin = 16, kReadable = 0.5, kClose = 0.62;
  Rect all;
  for (const Step& s : steps) all = all.united(s.frame->layout.bounds);
  const double whole = std::min({1.0, kMostPixels / std::max(all.w, 1.0), kMostPixels / std::max(all.h, 1.0)});
  if (whole >= kReadable) {
    size = {static_cast<int>(std::max(all.w * whole + 2 * kMargin, 360.0)),
            static_cast<int>(all.h * whole + 2 * kMargin + kCaption)};
    const ViewTransform view{whole, 0, 0};
    return {steps.size(), view.centered(all.center(), QSizeF(size.width(), size.height() - kCaption))};
  }
  size = {960, 720};
  const QSizeF room(size.width(), size.height() - kCaption);
  const QRectF inner = QRectF(QPointF(0, 0), room).adjusted(60, 60, -60, -60);
  std::vector<ViewTransform> views;
  ViewTransform view{kClose, 0, 0};
  view = view.centered(steps.front().frame->layout.bounds.center(), room);
  for (const Step& s : steps) {
    const Rect& changed = s.frame->changed;
    if (!changed.empty() && (views.empty() || !inner.contains(view.toScreen(changed.center()))))
      view = view.centered(changed.center(), room);
    views.push_back(view);
  }
  views.front() = views.size() > 1 ? views[1] : views.front();  // the input, where it is going to change
  return views;
}

// Every step, and what moves on the way to it. `make` gives what is written to, from the size and what is seen.
template <class Make>
auto played(const std::vector<Step>& steps, const AnimationOptions& options, const std::string& pass, Make make) {
  QSize size;
  const std::vector<ViewTransform> views = viewsOf(steps, size);
  const CanvasTheme theme = options.dark ? CanvasTheme::darkTheme() : CanvasTheme::light();
  TextCache text;
  const auto caption = [&](size_t i) {
    const auto k = static_cast<int64_t>(i) + options.from;
    return QString::fromStdString(steps[i].rule.empty() ? fmt::format("{}, input", pass)
                                                        : fmt::format("{}, match {}: {}", pass, k, steps[i].rule));
  };
  const auto still = [&](size_t i) {
    return picture(*steps[i].frame, nullptr, 1, views[i], size, theme, text, caption(i));
  };
  auto writer = make(size, still);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) {
      const Motion motion(steps[i - 1].frame, steps[i].frame);
      for (int k = 1; k < kBetween && (!motion.still() || views[i] != views[i - 1]); ++k) {
        const double t = static_cast<double>(k) / kBetween;
        const double eased = t < 0.5 ? 4 * t * t * t : 1 - 4 * (1 - t) * (1 - t) * (1 - t);
        writer->add(picture(*steps[i].frame, &motion, eased, ViewTransform::between(views[i - 1], views[i], eased),
                            size, theme, text, caption(i)),
                    kMotionMs / kBetween);
      }
    }
    writer->add(still(i), kHoldMs);
  }
  return writer->finish();
}

QByteArray gif(const std::vector<Step>& steps, const AnimationOptions& options, const std::string& pass) {
  return played(steps, options, pass, [&](QSize size, const auto& still) {
    std::vector<QImage> samples;
    for (const size_t i : {size_t{0}, steps.size() / 4, steps.size() / 2, steps.size() - 1})
      samples.push_back(still(i));
    return std::make_unique<GifWriter>(size, samples);
  });
}

Result<QByteArray> webp(const std::vector<Step>& steps, const AnimationOptions& options, const std::string& pass) {
  return played(steps, options, pass, [](QSize size, const auto&) { return std::make_unique<WebpWriter>(size); });
}

const char* stateName(NodeState s) {
  switch (s) {
    case NodeState::Match:
      return "match";
    case NodeState::New:
      return "new";
    case NodeState::Ghost:
      return "ghost";
    case NodeState::Normal:
      break;
  }
  return "";
}

// Steps as data: nodes by key with their place, edges as the points of their paths.
std::string stepsJson(const std::vector<Step>& steps) {
  std::string s = "[";
  for (const Step& step : steps) {
    if (s.size() > 1) s += ",\n";
    s += "{\"rule\":";
    append_json_string(s, step.rule);
    s += ",\"why\":";
    append_json_string(s, step.explanation);
    s += ",\"nodes\":[";
    const SceneFrame& f = *step.frame;
    for (size_t i = 0; i < f.graph.nodes.size(); ++i) {
      const SceneNode& n = f.graph.nodes[i];
      const Rect& r = f.layout.nodes[i];
      fmt::format_to(std::back_inserter(s), R"({}[{},{:.0f},{:.0f},{:.0f},{:.0f},"#{:06x}","{}",)", i > 0 ? "," : "",
                     n.key, r.x, r.y, r.w, r.h, n.fill & 0xffffffU, stateName(n.state));
      append_json_string(s, n.title);
      for (const std::string& l : n.lines) {
        s += ',';
        append_json_string(s, cutLine(l));
      }
      s += ']';
    }
    s += "],\"edges\":[";
    for (size_t i = 0; i < f.graph.edges.size(); ++i) {
      const SceneEdge& e = f.graph.edges[i];
      fmt::format_to(std::back_inserter(s), R"({}["{}","{}-{}-{}")", i > 0 ? "," : "",
                     e.state == EdgeState::Ghost       ? "ghost"
                     : e.state == EdgeState::Resourced ? "moved"
                                                       : "",
                     f.graph.nodes[e.from].key, f.graph.nodes[e.to].key, e.port);
      const EdgePath& path = f.layout.edges[i];
      for (uint32_t k = 0; k < path.count; ++k) {
        const Point p = f.layout.points[path.first + k];
        fmt::format_to(std::back_inserter(s), ",{:.0f},{:.0f}", p.x, p.y);
      }
      s += ']';
    }
    s += "]}";
  }
  return s + "]";
}

void replace(std::string& text, std::string_view what, const std::string& with) {
  if (const size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
}

std::string escaped(const std::string& s) {
  return QString::fromStdString(s).toHtmlEscaped().toStdString();
}

}  // namespace

Result<void> writeAnimation(int& argc, char** argv, const AnimationOptions& options) {
  const bool page = options.out.ends_with(".html"), moving = options.out.ends_with(".gif"),
             newer = options.out.ends_with(".webp");
  if (!page && !moving && !newer)
    return tl::unexpected(Error{options.out + " must end in .gif, .webp or .html: that says what to write."});
  auto reader = trace::Reader::open(options.trace);
  if (!reader) return tl::unexpected(reader.error());
  if (options.pass == 0) return tl::unexpected(Error{"say which pass with --pass N; `rangescope info` lists them."});
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication app(argc, argv);
  const auto steps = stepsOf(**reader, options);
  if (!steps) return tl::unexpected(steps.error());
  const std::string name = (*reader)->pass(options.pass)->name;
  if (moving) return saveFile(options.out, gif(*steps, options, name));
  if (newer) {
    const auto bytes = webp(*steps, options, name);
    return bytes ? saveFile(options.out, *bytes) : tl::unexpected(bytes.error());
  }
  std::string text(kAnimationPage);
  std::string data = stepsJson(*steps);
  // a script's end inside of it would end it
  for (size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3) data.insert(at + 1, "\\");
  const std::string title = (*reader)->meta("program").value_or(options.trace) + ": " + name;
  replace(text, "{{TITLE}}", escaped(title));
  replace(text, "{{HEADING}}", escaped(title));
  replace(text, "{{THEME}}", options.dark ? "dark" : "light");
  replace(text, "{{FROM}}", std::to_string(options.from));
  replace(text, "{{STEPS}}", data);
  return saveFile(options.out, QByteArray::fromStdString(text));
}

}  // namespace rangescope::viewer
