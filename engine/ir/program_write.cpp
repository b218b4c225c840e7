#include <fmt/format.h>
#include <utility>

#include "engine/ir/json_reader.h"
#include "engine/ir/program.h"

namespace rangescope {

namespace {

class ProgramWriter {
 public:
  std::string write(const Program& p) {
    field("name", [&] { append_json_string(out_, p.name); });
    if (!p.suite.empty()) field("suite", [&] { append_json_string(out_, p.suite); });
    field("flags", [&] { flags(p); });
    field("root", [&] { node(p.root); });  // first of all: the input graph stands at the front of the table
    const size_t input_nodes = table_.size();
    if (p.passes) field("passes", [&] { list(*p.passes, [&](const PassRecord& r) { pass(r); }); });
    if (p.kernel_graph) field("kernel_graph", [&] { node(p.kernel_graph); });
    if (p.schedule) field("schedule", [&] { list(*p.schedule, [&](const ScheduledKernel& k) { kernel(k); }); });
    text("error", p.error);
    text("schedule_error", p.schedule_error);
    if (p.sink) field("sink", [&] { node(p.sink); });
    if (p.linear) field("linear", [&] { node_list(*p.linear); });
    if (p.launch) field("program", [&] { launch(*p.launch); });
    if (p.simplified) field("simplified", [&] { node(p.simplified); });
    if (p.in_minmax) field("in_minmax", [&] { bounds(*p.in_minmax); });
    if (p.minmax) field("minmax", [&] { bounds(*p.minmax); });
    if (p.render)
      field("render", [&] {
        out_ += '[';
        append_json_string(out_, p.render->first);
        out_ += ',';
        append_json_string(out_, p.render->second);
        out_ += ']';
      });
    for (const auto& entry : p.rest) field(entry.first, [&] { out_ += entry.second; });
    field("nodes", [&] { table_.append_json(out_); });
    size_t matches = 0;
    if (p.passes)
      for (const PassRecord& r : *p.passes) matches += r.matches.size();
    field("counts", [&] {
      number(R"({{"input_nodes":{},"passes":{},"matches":{}}})", input_nodes, p.passes ? p.passes->size() : 0, matches);
    });
    return std::move(out_) + '}';
  }

 private:
  template <class... A>
  void number(fmt::format_string<A...> f, A&&... a) {
    fmt::format_to(std::back_inserter(out_), f, std::forward<A>(a)...);
  }
  template <class F>
  void field(std::string_view key, F write_value) {
    out_ += out_.empty() ? '{' : ',';
    append_json_string(out_, key);
    out_ += ':';
    write_value();
  }
  template <class Items, class F>
  void list(const Items& items, F each) {
    out_ += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) out_ += ',';
      each(item);
    }
    out_ += ']';
  }

  void text(std::string_view key, const std::optional<std::string>& value) {
    if (value) field(key, [&] { append_json_string(out_, *value); });
  }
  void node(UOp u) {
    if (u)
      number("{}", table_.add(u));
    else
      out_ += "null";
  }
  void node_list(const UOps& nodes) {
    list(nodes, [&](UOp u) { node(u); });
  }
  void flags(const Program& p) {
    out_ += '{';
    for (size_t i = 0; i < p.flags.size(); ++i) {
      if (i > 0) out_ += ',';
      append_json_string(out_, p.flags[i].first);
      number(":{}", p.flags[i].second);
    }
    out_ += '}';
  }
  void pass(const PassRecord& r) {
    number("[{},", r.depth);
    append_json_string(out_, r.name);
    number(",{},{},{},", r.bottom_up, r.walk, r.enter_calls);
    node(r.input);
    out_ += ',';
    node(r.output);
    out_ += ',';
    list(r.matches, [&](const MatchRecord& m) {
      out_ += '[';
      node(m.before);
      out_ += ',';
      node(m.after);
      out_ += ',';
      append_json_string(out_, m.rule);
      out_ += ']';
    });
    out_ += ']';
  }
  void kernel(const ScheduledKernel& k) {
    out_ += '[';
    node(k.ast);
    out_ += ',';
    node_list(k.buffers);
    out_ += ']';
  }
  void launch(const LaunchRecord& l) {
    const auto ints = [&](std::string_view key, const std::vector<int64_t>& v) {
      number(",\"{}\":", key);
      list(v, [&](int64_t i) { number("{}", i); });
    };
    const auto size = [&](std::string_view key, const LaunchRecord::Size& v) {
      number(",\"{}\":", key);
      if (v.empty())
        out_ += "null";
      else
        list(v, [&](std::optional<int64_t> i) { out_ += i ? std::to_string(*i) : "null"; });
    };
    out_ += "{\"name\":";
    append_json_string(out_, l.name);
    size("global_size", l.global_size);
    size("local_size", l.local_size);
    ints("globals", l.globals);
    ints("outs", l.outs);
    ints("ins", l.ins);
    out_ += '}';
  }
  void bounds(const Bounds& b) {
    out_ += '[';
    append_json(out_, b.min);
    out_ += ',';
    append_json(out_, b.max);
    out_ += ']';
  }

  NodeTable table_;
  std::string out_;
};

}  // namespace

std::string to_json(const Program& program) {
  return ProgramWriter().write(program);
}

}  // namespace rangescope
