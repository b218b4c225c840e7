#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/json_reader.h"
#include "engine/ir/program.h"

namespace rangescope {

namespace {

// The values of a line's keys, as text: the node table stands behind what refers to it, but is read first.
class Fields {
 public:
  explicit Fields(std::string_view line) {
    JsonReader in(line);
    if (in.peek() != JsonReader::Kind::Object)
      in.refuse(R"(a program is a JSON object, {"name": ..., "nodes": ..., ...})");
    in.object([&](std::string_view key) {
      std::string name(key);
      if (find(name) != nullptr) in.refuse(fmt::format("the key '{}' stands there twice", name));
      all_.push_back({std::move(name), in.skip(), false});
    });
    in.finish();
  }

  // Calls read(reader) with the key's value, unless it is missing or null.
  template <class F>
  bool with(std::string_view key, F read) {
    Field* f = find(key);
    if (f == nullptr) return false;
    f->used = true;
    JsonReader in(f->text);
    if (in.try_null()) return false;
    try {
      read(in);
    } catch (const GraphError& e) {
      throw GraphError(fmt::format("'{}': {}", key, e.message()));
    }
    return true;
  }
  template <class F>
  void need(std::string_view key, F read) {
    if (!with(key, read)) throw GraphError(fmt::format("the key '{}' is missing", key));
  }
  std::vector<std::pair<std::string, std::string>> unused() const {
    std::vector<std::pair<std::string, std::string>> r;
    for (const Field& f : all_)
      if (!f.used) r.emplace_back(f.name, std::string(f.text));
    return r;
  }

 private:
  struct Field {
    std::string name;
    std::string_view text;
    bool used;
  };
  Field* find(std::string_view key) {
    const auto it = std::ranges::find(all_, key, &Field::name);
    return it == all_.end() ? nullptr : &*it;
  }
  std::vector<Field> all_;
};

class RecordReader {
 public:
  explicit RecordReader(Program& p) : p_(p) {}

  UOp node(JsonReader& in) const {
    if (p_.nodes.empty()) in.refuse("the node table is empty");
    return p_.nodes[static_cast<size_t>(in.integer(0, static_cast<int64_t>(p_.nodes.size()) - 1))];
  }
  UOp node_or_null(JsonReader& in) const { return in.try_null() ? UOp() : node(in); }
  UOps node_list(JsonReader& in) const {
    UOps r;
    in.array([&](size_t) { r.push_back(node(in)); });
    return r;
  }

  void passes(JsonReader& in) {
    p_.passes.emplace();
    in.array([&](size_t i) {
      try {
        p_.passes->push_back(pass(in));
      } catch (const GraphError& e) {
        throw GraphError(fmt::format("pass {}: {}", i, e.message()));
      }
    });
  }
  void schedule(JsonReader& in) {
    p_.schedule.emplace();
    in.array([&](size_t) {
      ScheduledKernel k;
      fixed_array(in, "a scheduled kernel is [AST, [buffers]]", 2, [&](size_t field) {
        if (field == 0)
          k.ast = node(in);
        else
          k.buffers = node_list(in);
      });
      p_.schedule->push_back(std::move(k));
    });
  }
  void launch(JsonReader& in) {
    LaunchRecord& l = p_.launch.emplace();
    in.object([&](std::string_view key) {
      if (key == "name")
        l.name = in.string();
      else if (key == "global_size")
        size(in, l.global_size);
      else if (key == "local_size" && in.try_null())
        l.local_size.clear();
      else if (key == "local_size")
        size(in, l.local_size);
      else if (key == "globals")
        ints(in, l.globals);
      else if (key == "outs")
        ints(in, l.outs);
      else if (key == "ins")
        ints(in, l.ins);
      else
        in.skip();
    });
  }
  static std::optional<Bounds> bounds(JsonReader& in) {
    std::optional<Bounds> b{Bounds{}};
    fixed_array(in, "bounds are [min, max]", 2, [&](size_t field) {
      const Arg a = read_arg(in);
      const auto* v = a.get_if<Scalar>();
      if (v == nullptr) in.refuse("bounds are bools or numbers");
      (field == 0 ? b->min : b->max) = *v;
    });
    return b;
  }
  void render(JsonReader& in) {
    p_.render.emplace();
    fixed_array(in, "texts are [before, after]", 2,
                [&](size_t field) { (field == 0 ? p_.render->first : p_.render->second) = in.string(); });
  }
  void flags(JsonReader& in) {
    in.object([&](std::string_view key) {
      std::string name(key);
      const int64_t value =
          in.peek() == JsonReader::Kind::Bool ? int64_t{in.boolean()} : in.integer(INT64_MIN, INT64_MAX);
      p_.flags.emplace_back(std::move(name), value);
    });
  }

 private:
  template <class F>
  static void fixed_array(JsonReader& in, const char* shape, size_t count, F each) {
    size_t seen = 0;
    in.array([&](size_t i) {
      if (i >= count) in.refuse(fmt::format("{}: there are more elements", shape));
      each(i);
      seen = i + 1;
    });
    if (seen != count) in.refuse(fmt::format("{}: there are {} elements", shape, seen));
  }

  PassRecord pass(JsonReader& in) const {
    PassRecord r;
    fixed_array(in, "a pass is [depth, name, bottom_up, walk, enter_calls, input, output, matches]", 8,
                [&](size_t field) {
                  switch (field) {
                    case 0:
                      r.depth = static_cast<int>(in.integer(0, 1'000'000));
                      break;
                    case 1:
                      r.name = in.string();
                      break;
                    case 2:
                      r.bottom_up = in.boolean();
                      break;
                    case 3:
                      r.walk = in.boolean();
                      break;
                    case 4:
                      r.enter_calls = in.boolean();
                      break;
                    case 5:
                      r.input = node_or_null(in);
                      break;
                    case 6:
                      r.output = node_or_null(in);
                      break;
                    default:
                      in.array([&](size_t) { r.matches.push_back(match(in)); });
                  }
                });
    return r;
  }
  MatchRecord match(JsonReader& in) const {
    MatchRecord m;
    fixed_array(in, "a match is [before, after, rule]", 3, [&](size_t field) {
      if (field == 0)
        m.before = node(in);
      else if (field == 1)
        m.after = node_or_null(in);
      else
        m.rule = in.string();
    });
    return m;
  }
  static void ints(JsonReader& in, std::vector<int64_t>& out) {
    in.array([&](size_t) { out.push_back(in.integer(INT64_MIN, INT64_MAX)); });
  }
  static void size(JsonReader& in, LaunchRecord::Size& out) {
    if (in.try_null()) return;
    in.array(
        [&](size_t) { out.push_back(in.try_null() ? std::nullopt : std::optional(in.integer(INT64_MIN, INT64_MAX))); });
  }

  Program& p_;
};

Program read(std::string_view line, Store& store, ReadWhat what, const GraphLimits& limits) {
  Program p;
  RecordReader r(p);
  Fields fields(line);
  fields.with("name", [&](JsonReader& in) { p.name = in.string(); });
  fields.with("suite", [&](JsonReader& in) { p.suite = in.string(); });
  fields.with("flags", [&](JsonReader& in) { r.flags(in); });
  fields.with("counts", [&](JsonReader& in) {
    in.object([&](std::string_view key) {
      if (key == "input_nodes")
        p.input_nodes = static_cast<size_t>(in.integer(0, INT64_MAX));
      else
        in.skip();
    });
  });
  // A root is no part of the first counts.input_nodes nodes only where the file is wrong; its index says so.
  int64_t root = 0;
  fields.need("root", [&](JsonReader& in) { root = in.integer(0, INT64_MAX); });
  const size_t count = what == ReadWhat::Input ? static_cast<size_t>(root) + 1 : SIZE_MAX;
  fields.need("nodes", [&](JsonReader& in) { p.nodes = read_nodes(in, store, count, limits); });
  if (static_cast<size_t>(root) >= p.nodes.size())
    throw GraphError(fmt::format("'root': node {} is not in the table of {} nodes", root, p.nodes.size()));
  p.root = p.nodes[static_cast<size_t>(root)];
  if (what == ReadWhat::Input) {
    p.input_nodes = p.nodes.size();
    return p;
  }
  if (p.input_nodes > p.nodes.size())
    throw GraphError(fmt::format("'counts': {} input nodes of a table of {} nodes", p.input_nodes, p.nodes.size()));
  fields.with("passes", [&](JsonReader& in) { r.passes(in); });
  fields.with("kernel_graph", [&](JsonReader& in) { p.kernel_graph = r.node(in); });
  fields.with("schedule", [&](JsonReader& in) { r.schedule(in); });
  fields.with("error", [&](JsonReader& in) { p.error = std::string(in.string()); });
  fields.with("schedule_error", [&](JsonReader& in) { p.schedule_error = std::string(in.string()); });
  fields.with("sink", [&](JsonReader& in) { p.sink = r.node(in); });
  fields.with("linear", [&](JsonReader& in) { p.linear = r.node_list(in); });
  fields.with("program", [&](JsonReader& in) { r.launch(in); });
  fields.with("simplified", [&](JsonReader& in) { p.simplified = r.node(in); });
  fields.with("in_minmax", [&](JsonReader& in) { p.in_minmax = RecordReader::bounds(in); });
  fields.with("minmax", [&](JsonReader& in) { p.minmax = RecordReader::bounds(in); });
  fields.with("render", [&](JsonReader& in) { r.render(in); });
  p.rest = fields.unused();
  return p;
}

}  // namespace

int64_t Program::flag(std::string_view flag_name, int64_t otherwise) const {
  const auto it = std::ranges::find(flags, flag_name, &std::pair<std::string, int64_t>::first);
  return it == flags.end() ? otherwise : it->second;
}

Result<Program> read_program(std::string_view line, Store& store, ReadWhat what, const GraphLimits& limits) {
  try {
    return read(line, store, what, limits);
  } catch (const GraphError& e) {
    return tl::unexpected(Error{"this is no program that can be read: " + e.message()});
  }
}

Result<ProgramReader> ProgramReader::open(const std::string& path) {
  Result<LineReader> lines = LineReader::open(path);
  if (!lines) return tl::unexpected(lines.error());
  return ProgramReader(std::move(*lines));
}

Error ProgramReader::locate(const Error& error) const {
  return Error{fmt::format("{} line {}: {}", lines_.path(), lines_.line_number(), error.message)};
}

Result<std::optional<Program>> ProgramReader::next(Store& store, ReadWhat what) {
  const Result<bool> more = lines_.next(line_);
  if (!more) {
    broken_ = true;
    return tl::unexpected(more.error());
  }
  if (!*more) return std::nullopt;
  Result<Program> p = read_program(line_, store, what);
  if (!p) return tl::unexpected(locate(p.error()));
  return std::optional(std::move(*p));
}

}  // namespace rangescope
