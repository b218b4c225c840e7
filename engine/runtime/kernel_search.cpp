#include "engine/runtime/kernel_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "engine/codegen/search_space.h"
#include "engine/ir/program.h"
#include "engine/ir/traversal.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/numbers.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::runtime {

namespace {

using Clock = std::chrono::steady_clock;

// A kernel of more ops takes the drivers' compilers longer than it can be worth.
constexpr size_t k_most_ops = 3000;
// Kernels slower than this many times the best are not timed twice.
constexpr uint64_t k_hopeless = 3;
constexpr uint32_t k_repeats = 3;
// Runs of what was found and of what the search began with, in turns.
constexpr int k_turns = 5;

// The AST in a store of its own: what a search makes goes with it, and no observer sees it.
struct OwnKernel {
  std::unique_ptr<Store> store = symbolic::make_store();
  UOp ast;
};

Result<OwnKernel> own_kernel(UOp ast) {
  Program kernel;
  kernel.root = ast;
  OwnKernel own;
  const auto read = read_program(to_json(kernel), *own.store, ReadWhat::Input);
  if (!read) return tl::unexpected(read.error());
  own.ast = read->root;
  return own;
}

struct Timed {
  std::vector<Dispatch> dispatches;
  uint64_t ns = 0;  // of the fastest repeat
};

struct Candidate {
  codegen::KernelAxes axes;
  Timed timed;
};

// The kernel's buffers on the device, and the times of one candidate after another.
class Stopwatch {
 public:
  Stopwatch(Device& device, const ProgramOptions& program) : device_(device), program_(program) {}

  Result<void> make_buffers(UOp ast) {
    std::vector<BufferDesc> buffers;
    std::vector<UOp> params;
    for (const UOp u : toposort(ast)) {
      if (!u.is(Op::PARAM) || u.addrspace() == AddrSpace::ALU) continue;
      const auto slot = static_cast<size_t>(u.arg().as<ParamArg>().slot);
      if (slot > 1000) return refuse("a kernel's buffers have no numbers");
      if (buffers.size() <= slot) buffers.resize(slot + 1);
      buffers[slot].bytes = static_cast<uint64_t>(u.max_numel()) * static_cast<uint64_t>(itemsize(u.dtype()));
      params.push_back(u);
    }
    auto executor = Executor::create(device_, {}, buffers, {.cache_folder = {}});
    if (!executor) return tl::unexpected(std::move(executor.error()));
    executor_ = std::move(*executor);
    for (const UOp p : params) {
      const int64_t slot = p.arg().as<ParamArg>().slot;
      const auto fill = corpus_fill(slot, p.dtype(), static_cast<size_t>(p.max_numel()));
      if (auto r = executor_->upload(static_cast<uint32_t>(slot), fill); !r) return r;
    }
    return {};
  }

  // None: it cannot be run, or is the same shader as one before.
  std::optional<Timed> time(UOp ast, const std::vector<OptArg>& opts, uint64_t best) {
    auto kernel = generate_kernel(codegen::with_opts(ast, opts), program_);
    if (!kernel || kernel->program.linear.size() > k_most_ops) return std::nullopt;
    const auto body = kernel->source.glsl.find("layout(");  // the comment above has the name
    if (!seen_.insert(kernel->source.glsl.substr(body)).second) return std::nullopt;
    const auto launch = launch_of(kernel->program, program_.variables);
    if (!launch) return std::nullopt;
    KernelDispatch dispatch{.values = launch->constants, .global_size = launch->global_size};
    for (const int64_t slot : kernel->program.globals) dispatch.buffers.emplace_back(static_cast<uint32_t>(slot));
    const auto number = executor_->add_kernel(std::move(kernel->source));
    if (!number) return std::nullopt;
    dispatch.kernel = *number;
    ++count_;
    Timed timed{{std::move(dispatch)}, std::numeric_limits<uint64_t>::max()};
    for (const uint32_t repeats : {1U, k_repeats - 1}) {
      if (!run(timed, repeats)) return std::nullopt;
      if (timed.ns / k_hopeless > best) break;
    }
    return timed;
  }

  // Some more repeats.
  bool run(Timed& timed, uint32_t repeats) {
    const auto report = executor_->run(timed.dispatches, {.repeat = repeats});
    if (!report) return false;
    for (size_t i = 0; i < report->repeats.size(); ++i)
      timed.ns = std::min(timed.ns, report->timed ? report->dispatches[0].samples_ns[i] : report->repeats[i].wait_ns);
    return true;
  }

  uint32_t count() const { return count_; }

 private:
  Device& device_;
  const ProgramOptions& program_;
  std::optional<Executor> executor_;
  std::set<std::string> seen_;
  uint32_t count_ = 0;
};

class Beam {
 public:
  Beam(Stopwatch& stopwatch, UOp ast, const SearchOptions& options)
      : stopwatch_(stopwatch), ast_(ast), options_(options), end_(Clock::now() + options.budget) {}

  std::optional<Candidate> search(const codegen::KernelAxes& axes) {
    std::vector<Candidate> beam;
    add(beam, axes);
    for (const codegen::Optimizer start : options_.starts) {
      try {
        add(beam, start(axes));
      } catch (const codegen::OptDeclined&) {
        continue;
      }
    }
    std::vector<Candidate> finals = beam;
    while (!beam.empty()) {
      std::ranges::stable_sort(beam, {}, [](const Candidate& c) { return c.timed.ns; });
      if (beam.size() > options_.width) beam.erase(beam.begin() + options_.width, beam.end());
      if (best_ && beam[0].timed.ns >= best_->timed.ns) break;
      best_ = beam[0];
      std::vector<Candidate> next;
      for (const Candidate& from : beam)
        codegen::each_search_step(from.axes, {}, [&](codegen::KernelAxes& step) {
          add(next, std::move(step));
          return Clock::now() < end_;
        });
      beam = std::move(next);
    }
    return best_ ? fastest(std::move(finals)) : std::nullopt;
  }

 private:
  void add(std::vector<Candidate>& to, codegen::KernelAxes axes) {
    const uint64_t best = best_ ? best_->timed.ns : std::numeric_limits<uint64_t>::max();
    if (auto timed = stopwatch_.time(ast_, axes.applied_opts(), best))
      to.push_back({std::move(axes), std::move(*timed)});
  }

  // Candidates were timed one after another, while the machine may have done other things, too: the one that was found
  // has to hold its own against those that the search began with.
  std::optional<Candidate> fastest(std::vector<Candidate> finals) {
    std::erase_if(finals, [&](const Candidate& c) { return c.timed.ns / k_hopeless > best_->timed.ns; });
    finals.insert(finals.begin(), std::move(*best_));
    for (Candidate& c : finals) c.timed.ns = std::numeric_limits<uint64_t>::max();
    for (int turn = 0; turn < k_turns; ++turn)
      for (Candidate& c : finals) stopwatch_.run(c.timed, 1);
    return std::move(*std::ranges::min_element(finals, {}, [](const Candidate& c) { return c.timed.ns; }));
  }

  Stopwatch& stopwatch_;
  UOp ast_;
  const SearchOptions& options_;
  Clock::time_point end_;
  std::optional<Candidate> best_;
};

}  // namespace

KernelSearch::KernelSearch(Device& device, ProgramOptions program, SearchOptions options)
    : device_(&device),
      program_(std::move(program)),
      options_(std::move(options)),
      memory_(device.info(), options_.cache_folder) {
  program_.before_kernel = {};
  program_.choose_opts = {};
}

Result<std::optional<SearchResult>> KernelSearch::best(UOp ast) {
  const std::string key = kernel_key(ast, program_.target);
  if (const FoundOpts* known = memory_.find(key)) return SearchResult{*known, 0, true, {}};
  try {
    const auto own = own_kernel(ast);
    if (!own) return tl::unexpected(own.error());
    const auto axes = codegen::searchable_axes(own->ast, program_.target);
    if (!axes) return tl::unexpected(axes.error());
    if (!*axes) return std::nullopt;
    Stopwatch stopwatch(*device_, program_);
    if (auto made = stopwatch.make_buffers(own->ast); !made) return tl::unexpected(std::move(made.error()));
    const auto best = Beam(stopwatch, own->ast, options_).search(**axes);
    if (device_->lost()) return tl::unexpected(device_->check_usable().error());
    if (!best) return std::nullopt;
    SearchResult result{{best->axes.applied_opts(), best->timed.ns}, stopwatch.count(), false, {}};
    if (auto kept = memory_.add(key, result.found); !kept) result.note = std::move(kept.error().message);
    return result;
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

std::optional<uint64_t> KernelSearch::known_time(const schedule::Schedule& schedule) const {
  const FoundOpts* known = memory_.find(kernel_key(schedule.linear, program_.target));
  return known == nullptr ? std::nullopt : std::optional(known->ns);
}

void KernelSearch::keep_time(const schedule::Schedule& schedule, uint64_t ns) {
  static_cast<void>(memory_.add(kernel_key(schedule.linear, program_.target), {{}, ns}));
}

std::function<Result<std::optional<std::vector<OptArg>>>(UOp ast)> KernelSearch::chooser(
    std::function<void(const std::string& line)> said) {
  return [this, said = std::move(said)](UOp ast) -> Result<std::optional<std::vector<OptArg>>> {
    auto found = best(ast);
    if (!found) return tl::unexpected(std::move(found.error()));
    if (!*found) return std::nullopt;
    const SearchResult& r = **found;
    if (!r.note.empty()) said(r.note);
    const std::string opts = opts_text(r.found.opts);
    said(fmt::format("{}: {:.3f} ms, {}",
                     r.remembered ? "known from an earlier search" : fmt::format("{} kernels timed", r.measured),
                     static_cast<double>(r.found.ns) / 1e6, opts.empty() ? "without optimisations" : opts));
    return r.found.opts;
  };
}

}  // namespace rangescope::runtime
