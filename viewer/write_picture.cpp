#include <fmt/format.h>

#include <QGuiApplication>

#include "engine/ir/json.h"
#include "viewer/canvas/export.h"
#include "viewer/model/step_scene.h"
#include "viewer/run_window.h"
#include "viewer/save_file.h"

namespace rangescope::viewer {

namespace {

QByteArray dotText(const SceneGraph& g) {
  const auto quoted = [](const std::string& s) {
    std::string out = "\"";
    for (const char c : s) {
      if (c == '"' || c == '\\') out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    return out + '"';
  };
  std::string s = "digraph rangescope {\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n";
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    std::string label = g.nodes[i].title;
    for (const std::string& l : g.nodes[i].lines) label += "\\n" + l;
    if (!g.nodes[i].heatLabel.empty()) label += "\\n" + g.nodes[i].heatLabel;
    std::string escaped;
    for (const char c : label) {
      if (c == '"') escaped += '\\';
      escaped += c;
    }
    s += fmt::format("  n{} [label=\"{}\", fillcolor=\"#{:06x}\"];\n", i, escaped, g.nodes[i].fill & 0xffffffU);
  }
  for (const SceneEdge& e : g.edges)
    s += fmt::format("  n{} -> n{}{};\n", e.from, e.to,
                     e.portCount > 1 ? fmt::format(" [headlabel={}]", quoted(std::to_string(e.port))) : "");
  return QByteArray::fromStdString(s + "}\n");
}

QByteArray jsonText(UOp root) {
  NodeTable table;
  const uint32_t at = table.add(root);
  std::string s = "{\"nodes\":";
  table.append_json(s);
  return QByteArray::fromStdString(s + fmt::format(",\"root\":{}}}\n", at));
}

}  // namespace

Result<void> writePicture(int& argc, char** argv, const PictureOptions& options) {
  const auto dot = options.out.rfind('.');
  const std::string kind = dot == std::string::npos ? "" : options.out.substr(dot + 1);
  if (kind != "svg" && kind != "png" && kind != "pdf" && kind != "dot" && kind != "json")
    return tl::unexpected(
        Error{options.out + " must end in .svg, .png, .pdf, .dot or .json: that says what to write."});
  auto reader = trace::Reader::open(options.trace);
  if (!reader) return tl::unexpected(reader.error());
  const SceneFilters filters;
  StepAddress address{options.pass, options.step};
  bool kernels = options.kernelGraph;
  if (!kernels && address.pass == 0) {
    address.pass = kernelGraphPass(**reader);
    kernels = address.pass != 0;
    if (!kernels) return tl::unexpected(Error{"say which pass with --pass N; `rangescope info` lists them."});
  }
  if (const trace::Pass* p = (*reader)->pass(address.pass); p != nullptr) {
    if (address.step < 0) address.step = p->matches;
    if (address.step > p->matches)
      return tl::unexpected(
          Error{fmt::format("pass {} has {} matches: there is no step {}.", p->id, p->matches, address.step)});
  }
  auto scene = kernels ? kernelScene(**reader, filters, options.times ? std::optional(Measure::Time) : std::nullopt)
                       : stepScene(**reader, address, filters);
  if (!scene) return tl::unexpected(scene.error());
  if (kind == "json") return saveFile(options.out, jsonText(scene->root));
  if (kind == "dot") return saveFile(options.out, dotText(scene->graph));
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication app(argc, argv);
  const auto frame = SceneFrame::make(std::move(scene->graph), TextMetrics());
  ExportOptions exporting;
  exporting.heat = kernels && options.times;
  if (kind == "svg") return saveFile(options.out, renderSvg(*frame, QString::fromStdString(options.trace), exporting));
  if (kind == "pdf") return saveFile(options.out, renderPdf(*frame, QString::fromStdString(options.trace), exporting));
  const QByteArray png = pngBytes(renderImage(*frame, exporting));
  if (png.isEmpty()) return tl::unexpected(Error{"the picture is too large for a .png; write a .svg."});
  return saveFile(options.out, png);
}

}  // namespace rangescope::viewer
