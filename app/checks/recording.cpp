#include "app/checks/recording.h"

#include "engine/schedule/create_schedule.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/program_run.h"

namespace rangescope::app {

void PassLog::pass_begin(const PassInfo& info, UOp root) {
  RecordedPass pass;
  pass.number = static_cast<int64_t>(passes.size()) + 1;
  pass.depth = info.depth;
  pass.name = info.name;
  pass.bottom_up = info.bottom_up;
  pass.walk = info.walk;
  pass.enter_calls = info.enter_calls;
  pass.input = root;
  open_.push_back(passes.size());
  passes.push_back(std::move(pass));
}

void PassLog::rule_matched(const Rule& rule, UOp before, UOp after, uint64_t) {
  if (!open_.empty()) passes[open_.back()].matches.push_back({before, after, std::string(rule.name)});
}

void PassLog::rule_raised(const Rule& rule, UOp before, std::string_view) {
  rule_matched(rule, before, {}, 0);
}

void PassLog::pass_end(UOp root) {
  passes[open_.back()].output = root;
  open_.pop_back();
}

Recording record_schedule(Program& program) {
  Store& store = program.root.store();
  schedule::apply_settings(program, store);
  Recording out;
  PassLog recorder;
  Result<UOp> graph;
  {
    const ObserverScope scope(store, recorder);
    graph = schedule::get_kernel_graph(program.root);
  }
  out.passes = std::move(recorder.passes);
  if (!graph) {
    out.error = graph.error().message;
    return out;
  }
  out.kernel_graph = *graph;
  const auto schedule = schedule::create_schedule(*graph);
  if (!schedule) {
    out.error = schedule.error().message;
    return out;
  }
  for (const schedule::ScheduledCall& call : schedule->calls) out.schedule.push_back({call.ast, call.buffers});
  return out;
}

Result<Recording> recording_of(const Program& program) {
  if (!program.passes)
    return tl::unexpected(
        Error{"\"" + program.name + "\" has no recorded passes: leave --recorded out to schedule it."});
  Recording out;
  for (const PassRecord& p : *program.passes) {
    RecordedPass pass{static_cast<int64_t>(out.passes.size()) + 1,
                      p.depth,
                      p.name,
                      p.bottom_up,
                      p.walk,
                      p.enter_calls,
                      p.input,
                      p.output,
                      {}};
    for (const MatchRecord& m : p.matches) pass.matches.push_back({m.before, m.after, m.rule});
    out.passes.push_back(std::move(pass));
  }
  out.kernel_graph = program.kernel_graph;
  if (program.schedule) out.schedule = *program.schedule;
  out.error = program.error.value_or("");
  return out;
}

Result<Recording> recording_of(trace::Reader& reader) {
  Recording out;
  const auto node = [&](int64_t number) -> Result<UOp> {
    return number == 0 ? Result<UOp>(UOp{}) : reader.node(number);
  };
  for (const trace::Pass& p : reader.passes()) {
    const auto input = node(p.input), output = node(p.output);
    if (!input) return tl::unexpected(input.error());
    if (!output) return tl::unexpected(output.error());
    RecordedPass pass{p.id, p.depth, p.name, p.bottom_up, p.walk, p.enter_calls, *input, *output, {}};
    const auto matches = reader.matches(p.id, 0, p.matches);
    if (!matches) return tl::unexpected(matches.error());
    for (const trace::StepMatch& m : *matches) {
      const auto before = node(m.before), after = node(m.after);
      if (!before) return tl::unexpected(before.error());
      if (!after) return tl::unexpected(after.error());
      const trace::RuleInfo* rule = reader.rule(m.rule);
      pass.matches.push_back({*before, *after, rule == nullptr ? "" : rule->name});
    }
    out.passes.push_back(std::move(pass));
  }
  const auto items = reader.schedule();
  if (!items) return tl::unexpected(items.error());
  for (const trace::ScheduleItem& item : *items) {
    const auto ast = node(item.ast);
    if (!ast) return tl::unexpected(ast.error());
    ScheduledKernel kernel{*ast, {}};
    for (const int64_t b : item.buffers) {
      const auto buffer = node(b);
      if (!buffer) return tl::unexpected(buffer.error());
      kernel.buffers.push_back(*buffer);
    }
    out.schedule.push_back(std::move(kernel));
  }
  for (const trace::TraceError& e : reader.errors()) out.error = e.message;
  return out;
}

}  // namespace rangescope::app
