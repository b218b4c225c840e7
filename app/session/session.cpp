#include "app/session/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/frontend/graph_copy.h"
#include "engine/ir/program.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/observer.h"
#include "engine/rewrite/rules_off.h"
#include "engine/runtime/program_kernel.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::app {

// A program that is ready to run, and the store that its kernels' graphs are in.
struct Session::Compiled {
  std::unique_ptr<Store> store;
  runtime::Program program;
  std::optional<runtime::Executor> executor;
};

struct Session::Recording {
  std::unique_ptr<Store> store;  // of all programs; outlives the recorder
  std::unique_ptr<trace::Recorder> recorder;
  std::string path;
  int repeats = 0;
  Changes changes;
  Offsets rows;
  int64_t programs = 0;
  UOps kernel_graphs;
  std::optional<trace::RunRow> run;   // all programs' times, as one run
  std::map<uint32_t, int64_t> slots;  // by buffer of the session: parameters are numbered through the whole trace
};

namespace {

// Programs that are kept compiled; a loop uses a few.
constexpr size_t kMostCompiled = 64;

rangescope::Program as_scheduled(const frontend::Program& p, UOp root) {
  rangescope::Program out;
  out.root = root;
  out.flags.assign(p.flags.begin(), p.flags.end());
  return out;
}

int64_t kernels_in(const runtime::Program& p) {
  return std::ranges::count_if(p.dispatches,
                               [](const auto& d) { return std::holds_alternative<runtime::KernelDispatch>(d); });
}

int64_t kernels_in(const schedule::Schedule& s) {
  return std::ranges::count_if(s.calls, [](const auto& call) { return call.ast.is(Op::SINK); });
}

}  // namespace

Session::Session(std::string device) : selector_(std::move(device)) {}
Session::~Session() = default;

Result<runtime::Device*> Session::device() {
  if (device_ || looked_ || selector_ == "eval") return device_.get();
  auto opened = runtime::Device::open({.selector = selector_});
  if (!opened && !selector_.empty()) return tl::unexpected(opened.error());
  looked_ = true;
  if (opened) device_ = std::move(*opened);
  return device_.get();
}

std::string Session::device_name() {
  const auto d = device();
  return d && *d != nullptr ? device_line(**d) : "no Vulkan device: the interpreter";
}

// Of equal programs the same.
std::string Session::key_of(const frontend::Program& p) {
  std::string key = to_json(as_scheduled(p, p.root));
  for (const auto& [name, value] : p.variables) key += fmt::format(" {}={}", name, value);
  return key;
}

// Kernels that the program would have: what the interpreter computes is counted as if they ran.
int64_t Session::kernels_scheduled(const frontend::Program& p) {
  const auto [known, fresh] = interpreted_.try_emplace(key_of(p), 0);
  if (fresh) {
    const auto store = symbolic::make_store();
    if (const auto schedule = schedule::scheduled(as_scheduled(p, frontend::copied_to(p.root, *store))))
      known->second = kernels_in(*schedule);
  }
  return known->second;
}

Result<Session::Compiled*> Session::compiled(const frontend::Program& p) {
  const std::string key = key_of(p);
  if (const auto known = compiled_.find(key); known != compiled_.end()) return known->second.get();
  auto c = std::make_unique<Compiled>();
  c->store = symbolic::make_store();
  const auto schedule = schedule::scheduled(as_scheduled(p, frontend::copied_to(p.root, *c->store)));
  if (!schedule) return tl::unexpected(schedule.error());
  runtime::ProgramOptions options = runtime::options_for(device_->info());
  options.variables = p.variables;
  options.settings.sums_outlast_stages = true;
  auto program = runtime::build_program(*schedule, options);
  if (!program) return tl::unexpected(program.error());
  c->program = std::move(*program);
  auto executor = runtime::load_program(*device_, c->program);
  if (!executor) return tl::unexpected(executor.error());
  c->executor.emplace(std::move(*executor));
  if (compiled_.size() >= kMostCompiled) compiled_.clear();
  return (compiled_[key] = std::move(c)).get();
}

Result<void> Session::run(const frontend::Program& p, frontend::Contents& contents) {
  if (p.root.src_count() == 0) return {};
  if (recording_) return run_recorded(p, contents);
  const auto on = device();
  if (!on) return tl::unexpected(on.error());
  if (*on == nullptr) {
    kernels_run_ += kernels_scheduled(p);
    frontend::Evaluator evaluator;
    return evaluator.run(p, contents);
  }
  const auto c = compiled(p);
  if (!c) return tl::unexpected(c.error());
  const runtime::Program& program = (*c)->program;
  runtime::Executor& executor = *(*c)->executor;
  const auto part_of = [&](const runtime::ProgramBuffer& b) {
    return std::span(contents.at(static_cast<size_t>(b.slot()))).subspan(b.offset(), b.bytes);
  };
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (program.buffers[i].is_parameter())
      if (auto r = executor.upload(static_cast<uint32_t>(i), part_of(program.buffers[i])); !r) return r;
  if (auto r = executor.run(program.dispatches); !r) return tl::unexpected(r.error());
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (program.buffers[i].is_parameter() && program.buffers[i].written)
      if (auto r = executor.download(static_cast<uint32_t>(i), part_of(program.buffers[i])); !r) return r;
  kernels_run_ += kernels_in(program);
  return {};
}

// ** recording

Result<void> Session::start_recording(const std::string& path, int repeats, Changes changes) {
  if (recording_) return refuse("a recording to " + recording_->path + " is under way; end it first");
  auto r = std::make_unique<Recording>();
  r->store = symbolic::make_store();
  r->path = path;
  r->repeats = repeats;
  r->changes = std::move(changes);
  switch_off(*r->store, r->changes.without);
  auto recorder = trace::Recorder::create(path, *r->store);
  if (!recorder) return tl::unexpected(recorder.error());
  r->recorder = std::move(*recorder);
  note_rules_off(*r->recorder, r->changes.without);
  recording_ = std::move(r);
  return {};
}

Result<void> Session::run_recorded(const frontend::Program& p, frontend::Contents& contents) {
  Recording& r = *recording_;
  trace::Recorder& recorder = *r.recorder;
  const auto on = device();
  if (!on) return tl::unexpected(on.error());
  UOp root = frontend::copied_to(p.root, *r.store);
  // Parameters get a number for each buffer of the session, so that a buffer is one node in all programs.
  std::map<int64_t, size_t> argument_of;  // by the number in the trace
  std::vector<std::pair<UOp, UOp>> renumbered;
  for (const UOp u : toposort(root)) {
    if (!u.is(Op::PARAM)) continue;
    ParamArg arg = u.arg().as<ParamArg>();
    if (arg.slot < 0 || arg.addrspace == AddrSpace::ALU) continue;
    const auto slot = static_cast<size_t>(arg.slot);
    const auto [it, fresh] =
        r.slots.try_emplace(p.arguments.at(slot).buffer.id(), static_cast<int64_t>(r.slots.size()));
    argument_of[it->second] = slot;
    arg.slot = it->second;
    const UOp now = u.with_arg(Arg(arg));
    frontend::inherit_metadata(u, now);
    renumbered.emplace_back(u, now);
  }
  root = frontend::substituted({&root, 1}, renumbered)[0];

  const ObserverScope scope(*r.store, recorder);
  ++r.programs;
  rangescope::Program program = as_scheduled(p, root);
  put_flags(program.flags, r.changes.flags);
  const int64_t section = recorder.begin_section("schedule", fmt::format("program {}", r.programs), root);
  if (!program.flags.empty()) note_flags(recorder, section, program.flags);
  note_variables(recorder, section, p.variables);
  UOp kernel_graph;
  const auto schedule = schedule::scheduled(program, &kernel_graph);
  if (!schedule) {
    recorder.error_if_new(schedule.error().message);
    recorder.abandon_passes();
    return tl::unexpected(schedule.error());
  }
  r.kernel_graphs.insert(r.kernel_graphs.end(), kernel_graph.srcs().begin(), kernel_graph.srcs().end());
  auto items = schedule_rows(recorder, *schedule, r.rows);
  Offsets more{static_cast<int64_t>(items.size()), 0, 0};
  Result<void> done;
  if (*on == nullptr) {
    kernels_run_ += kernels_in(*schedule);
    frontend::Evaluator evaluator;
    done = evaluator.run(p, contents);
  } else {
    StartValues start;
    start.variables = p.variables;
    for (const auto& [number, argument] : argument_of) start.contents[number] = contents.at(argument);
    std::vector<int64_t> sections;
    const auto begin_kernel = [&](UOp ast) {
      const auto number = r.rows.kernels + static_cast<int64_t>(sections.size()) + 1;
      sections.push_back(recorder.begin_section("kernel", fmt::format("kernel {}", number), ast));
    };
    RunSettings settings;
    settings.mend = true;
    const auto e = execute(**on, *schedule, 1, static_cast<uint32_t>(r.repeats), begin_kernel, start, settings);
    if (!e) {
      recorder.error_if_new(e.error().message);
      recorder.abandon_passes();
      done = tl::unexpected(e.error());
    } else {
      for (auto& [number, bytes] : runtime::contents_by_slot(e->program, e->after))
        contents.at(argument_of.at(number)) = std::move(bytes);
      kernels_run_ += kernels_in(e->program);
      name_kernels(items, *e, r.rows);
      more.kernels = static_cast<int64_t>(e->program.kernels.size());
      more.buffers = static_cast<int64_t>(e->program.buffers.size());
      trace::RunRow run = run_row(*e, **on, r.rows);
      add_run(r.run, std::move(run));
      post_execution(recorder, *e, sections, r.rows);
    }
  }
  post_schedule(recorder, std::move(items));
  r.rows.items += more.items;
  r.rows.kernels += more.kernels;
  r.rows.buffers += more.buffers;
  return done;
}

Result<int64_t> Session::stop_recording(const std::string& failure) {
  if (!recording_) return refuse("no recording is under way");
  const std::unique_ptr<Recording> r = std::move(recording_);
  trace::Recorder& recorder = *r->recorder;
  recorder.meta("program", r->path);
  recorder.meta("programs", std::to_string(r->programs));
  if (!r->kernel_graphs.empty())
    recorder.meta("kernel_graph", std::to_string(recorder.node(r->store->sink(r->kernel_graphs))));
  if (!failure.empty()) recorder.error_if_new(failure);
  recorder.flush();
  if (r->run) recorder.writer().post([run = *r->run](trace::Database& db) { return trace::insert_run(db, run); });
  const int64_t matches = recorder.match_count();
  if (auto closed = recorder.finish(); !closed) return tl::unexpected(closed.error());
  return matches;
}

}  // namespace rangescope::app
