#include "app/trace_programs.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/frontend/graph_copy.h"
#include "engine/ir/traversal.h"
#include "engine/symbolic/make_store.h"
#include "engine/trace/reader.h"

namespace rangescope::app {

namespace {

void read_metadata(trace::Reader& reader, UOp root) {
  const auto rows = reader.database().integer("SELECT count(*) FROM node_metadata");
  if (!rows || *rows == 0) return;
  for (const UOp u : toposort(root, true))
    if (auto m = reader.metadata(reader.number_of(u))) reader.store().set_metadata(u, std::move(*m));
}

}  // namespace

bool is_trace(const std::string& path) {
  return path.ends_with(".rscope");
}

Result<TracePrograms> programs_of_trace(const std::string& path) {
  auto opened = trace::Reader::open(path);
  if (!opened) return tl::unexpected(opened.error());
  trace::Reader& reader = **opened;
  const auto damaged = [&](const std::string& what) {
    return tl::unexpected(Error{fmt::format("{} is damaged: {}.", path, what)});
  };
  TracePrograms out;
  out.store = symbolic::make_store();
  out.name = reader.meta("program").value_or(std::filesystem::path(path).stem().string());
  out.suite = reader.meta("suite").value_or("");
  if (const auto names = reader.meta("without")) {
    auto without = names_from_json(*names);
    if (!without) return damaged(without.error().message);
    out.without = std::move(*without);
  }
  for (const trace::Section& section : reader.sections()) {
    if (section.kind != "schedule" || section.root == 0) continue;
    const auto root = reader.node(section.root);
    if (!root) return tl::unexpected(root.error());
    TraceProgram made;
    Program& p = made.program;
    p.name = section.name;
    auto flags = reader.meta(flags_key(section.id));
    if (!flags) flags = reader.meta("flags");
    if (flags) {
      auto values = flags_from_json(*flags);
      if (!values) return damaged(values.error().message);
      p.flags = std::move(*values);
    }
    if (const auto text = reader.meta(variables_key(section.id))) {
      const auto values = flags_from_json(*text);
      if (!values) return damaged(values.error().message);
      made.variables = {values->begin(), values->end()};
    }
    try {
      read_metadata(reader, *root);
      p.root = frontend::copied_to(*root, *out.store);
    } catch (const GraphError& e) {
      return damaged(std::string(e.message()));
    }
    out.programs.push_back(std::move(made));
  }
  if (out.programs.empty())
    return tl::unexpected(
        Error{path + " holds no program: record it anew from what it was made of, to see what becomes of it."});
  return out;
}

}  // namespace rangescope::app
