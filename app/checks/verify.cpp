#include "app/checks/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <set>

#include "engine/ir/dim.h"
#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "engine/trace/step.h"

namespace rangescope::app {

namespace {

using Evaluated = std::shared_ptr<const Result<eval::Outcome>>;

std::string node_text(UOp u) {
  return fmt::format("{} (node {})", short_label(u), u.id());
}

// A pass whose graph has another meaning than its result by design; the reason, or nothing.
std::string_view exempt(const RecordedPass& pass) {
  if (pass.name == "kernel split")
    return "the parameters of the kernel are numbered anew; the pass around it is checked with the kernel in place";
  if (pass.name == "contiguous_view_offset")
    return "its result only says where a view begins; the pass around it is checked with the view in place";
  return {};
}

// Narrow floats round where they are cast to, and a rewrite may cast elsewhere: what that may make, and its name.
struct Rounding {
  eval::Tolerance tolerance;
  std::string_view dtype;
};
std::optional<Rounding> narrow_rounding(UOp graph) {
  DTypeSet seen;
  for (const UOp u : toposort(graph)) seen.insert(u.dtype());
  for (const DType d :
       {DType::fp8e5m2, DType::fp8e5m2fnuz, DType::fp8e4m3, DType::fp8e4m3fnuz, DType::bfloat16, DType::float16})
    if (seen.contains(d)) {
      const double unit = std::ldexp(1.0, -finfo(d).mantissa);
      return Rounding{{4 * unit, unit}, dtype_name(d)};
    }
  return std::nullopt;
}

class Verifier {
 public:
  Verifier(const Recording& recording, const VerifySettings& settings) : recording_(recording), settings_(settings) {
    for (const RecordedPass& pass : recording.passes)
      if (pass.input) {
        program_inputs_ = eval::inputs_of(pass.input);
        programs_.insert(pass.input.id());
        break;
      }
    program_inputs_.limits = settings.limits;
  }

  PassVerdict check(const RecordedPass& pass);
  PassVerdict check_schedule();

 private:
  Evaluated evaluate(UOp root);
  eval::Inputs inputs_for(UOp root) const;
  Result<UOp> graph_after(const RecordedPass& pass, size_t matches) const;
  // The difference that the first `matches` make; an error: not known.
  Result<std::optional<eval::Difference>> difference_after(const RecordedPass& pass, size_t matches);
  void judge(UOp graph, const eval::Outcome& before, const eval::Outcome& after, PassVerdict& verdict);
  void find_match(const RecordedPass& pass, PassVerdict& verdict);
  void every_match(const RecordedPass& pass, PassVerdict& verdict);
  std::string match_text(const RecordedPass& pass, size_t from, size_t to);
  std::string change_at(const RecordedMatch& match);

  const Recording& recording_;
  const VerifySettings& settings_;
  eval::Inputs program_inputs_;
  eval::Tolerance tolerance_;    // of the pass at hand
  std::set<uint32_t> programs_;  // the program's graph as it was after the passes so far, by node id
  bool of_program_ = false;      // the pass at hand rewrites it, not an expression or a body inside
  std::deque<std::pair<UOp, Evaluated>> known_;
};

eval::Inputs Verifier::inputs_for(UOp root) const {
  if (of_program_) return program_inputs_;
  eval::Inputs inputs = eval::inputs_of(root);
  inputs.limits = settings_.limits;
  inputs.variables.insert(program_inputs_.variables.begin(), program_inputs_.variables.end());
  return inputs;
}

Evaluated Verifier::evaluate(UOp root) {
  for (const auto& [known, outcome] : known_)
    if (known == root) return outcome;
  auto outcome = std::make_shared<const Result<eval::Outcome>>(eval::evaluate(root, inputs_for(root)));
  known_.emplace_back(root, outcome);
  if (known_.size() > 3) known_.pop_front();
  return outcome;
}

Result<UOp> Verifier::graph_after(const RecordedPass& pass, size_t matches) const {
  std::vector<std::pair<UOp, UOp>> map;
  for (size_t i = 0; i < matches; ++i) map.emplace_back(pass.matches[i].before, pass.matches[i].after);
  return trace::graph_after(pass.input, map, {pass.bottom_up, pass.walk, pass.enter_calls});
}

Result<std::optional<eval::Difference>> Verifier::difference_after(const RecordedPass& pass, size_t matches) {
  const Evaluated before = evaluate(pass.input);
  if (!*before) return tl::unexpected(before->error());
  const auto graph = graph_after(pass, matches);
  if (!graph) return tl::unexpected(graph.error());
  const auto after = eval::evaluate(*graph, inputs_for(pass.input));
  if (!after) return tl::unexpected(after.error());
  return eval::difference(**before, *after, tolerance_);
}

// What the match did to its own node: shape, dtype, value.
std::string Verifier::change_at(const RecordedMatch& match) {
  if (!match.after) return "the rule raised";
  std::string s;
  if (match.before.dtype() != match.after.dtype())
    s = fmt::format("its dtype was {} and is {}", dtype_name(match.before.dtype()), dtype_name(match.after.dtype()));
  try {
    const Shape *a = match.before.shape_or_null(), *b = match.after.shape_or_null();
    if (a != nullptr && b != nullptr && !(*a == *b))
      s += fmt::format("{}its shape was {} and is {}", s.empty() ? "" : ", ", to_string(*a), to_string(*b));
  } catch (const GraphError&) {
    // between two matches a node need not have a shape
  }
  eval::Inputs inputs = inputs_for(match.before);
  const auto before = eval::evaluate(match.before, inputs), after = eval::evaluate(match.after, inputs);
  if (before && after)
    if (const auto d = eval::difference(*before, *after, tolerance_))
      s += fmt::format("{}there {}", s.empty() ? "" : ", ", d->text);
  return s;
}

std::string Verifier::match_text(const RecordedPass& pass, size_t from, size_t to) {
  const RecordedMatch& m = pass.matches[to - 1];
  std::string s = from + 1 == to ? fmt::format("match {} of {}", to - 1, pass.matches.size())
                                 : fmt::format(
                                       "one of the matches {} to {} of {} (the graphs in between cannot be "
                                       "evaluated), the last of them",
                                       from, to - 1, pass.matches.size());
  s += fmt::format(": rule {} replaced {} by {}", m.rule, node_text(m.before),
                   m.after ? node_text(m.after) : std::string("nothing"));
  if (const std::string change = change_at(m); !change.empty()) s += "; " + change;
  return s;
}

// Bisects. Graphs in the middle of a pass may have no value of their own: then the nearest that has one is taken.
void Verifier::find_match(const RecordedPass& pass, PassVerdict& verdict) {
  size_t good = 0, bad = pass.matches.size();
  if (bad == 0) {
    verdict.match = "the pass has no matches: its output is not what its input was rewritten to";
    return;
  }
  while (good + 1 < bad) {
    const size_t middle = good + (bad - good) / 2;
    bool known = false;
    // the middle first, then what lies around it, nearest first; no more than a few
    for (size_t step = 0; step < std::min<size_t>(bad - good, 64) && !known; ++step) {
      const size_t k = step % 2 == 0 ? middle + step / 2 : middle - (step + 1) / 2;
      if (k <= good || k >= bad) continue;
      const auto d = difference_after(pass, k);
      if (!d) continue;
      known = true;
      (*d ? bad : good) = k;
    }
    if (!known) break;
  }
  verdict.match_number = static_cast<int64_t>(bad) - 1;
  verdict.match = match_text(pass, good, bad);
}

void Verifier::every_match(const RecordedPass& pass, PassVerdict& verdict) {
  bool good = true;
  for (size_t k = 1; k < pass.matches.size(); ++k) {
    const auto d = difference_after(pass, k);
    if (!d) continue;
    if (*d && good && verdict.passing.empty())
      verdict.passing = fmt::format("{}; {}", (*d)->text, match_text(pass, k - 1, k));
    good = !*d;
  }
}

void Verifier::judge(UOp graph, const eval::Outcome& before, const eval::Outcome& after, PassVerdict& verdict) {
  tolerance_ = settings_.tolerance;
  auto d = eval::difference(before, after, tolerance_);
  if (const auto rounding = d ? narrow_rounding(graph) : std::nullopt) {
    tolerance_ = rounding->tolerance;
    d = eval::difference(before, after, tolerance_);
    if (!d) verdict.text = fmt::format("up to the rounding of {}", rounding->dtype);
  }
  verdict.meaning = d ? Meaning::Changed : Meaning::Kept;
  if (d) verdict.text = d->text;
}

PassVerdict Verifier::check(const RecordedPass& pass) {
  PassVerdict verdict;
  verdict.number = pass.number;
  verdict.name = pass.name;
  verdict.matches = pass.matches.size();
  if (!pass.output) {
    verdict.text = "the pass did not end";
    return verdict;
  }
  of_program_ = programs_.contains(pass.input.id());
  if (of_program_) programs_.insert(pass.output.id());
  if (pass.input == pass.output && !settings_.every_match) {
    verdict.meaning = Meaning::Kept;
    return verdict;
  }
  if (const std::string_view reason = exempt(pass); !reason.empty()) {
    verdict.text = reason;
    return verdict;
  }
  const Evaluated before = evaluate(pass.input);
  if (!*before) {
    verdict.text = "its input cannot be evaluated: " + before->error().message;
    return verdict;
  }
  const Evaluated after =
      of_program_ ? evaluate(pass.output)
                  : std::make_shared<const Result<eval::Outcome>>(eval::evaluate(pass.output, inputs_for(pass.input)));
  if (!*after) {
    verdict.text = "its output cannot be evaluated: " + after->error().message;
    return verdict;
  }
  judge(pass.input, **before, **after, verdict);
  if (verdict.meaning == Meaning::Changed) {
    find_match(pass, verdict);
  } else if (settings_.every_match) {
    every_match(pass, verdict);
  }
  return verdict;
}

PassVerdict Verifier::check_schedule() {
  PassVerdict verdict;
  verdict.name = "schedule";
  UOp graph = recording_.kernel_graph;
  for (const RecordedPass& pass : recording_.passes)
    if (!graph && pass.name == "View Kernel Graph") graph = pass.output;
  if (!graph) {
    verdict.text = "there is no kernel graph";
    return verdict;
  }
  of_program_ = true;
  const Evaluated before = evaluate(graph);
  if (!*before) {
    verdict.text = "the kernel graph cannot be evaluated: " + before->error().message;
    return verdict;
  }
  const auto after = eval::evaluate_schedule(recording_.schedule, program_inputs_);
  if (!after) {
    verdict.text = "the schedule cannot be evaluated: " + after.error().message;
    return verdict;
  }
  judge(graph, **before, *after, verdict);
  return verdict;
}

}  // namespace

size_t Verdict::count(Meaning meaning) const {
  return static_cast<size_t>(std::ranges::count(passes, meaning, &PassVerdict::meaning));
}

Verdict verify(const Recording& recording, const VerifySettings& settings,
               const std::function<void(const PassVerdict&)>& each) {
  Verdict verdict;
  Verifier verifier(recording, settings);
  const auto add = [&](PassVerdict v) {
    if (each) each(v);
    verdict.passes.push_back(std::move(v));
  };
  for (const RecordedPass& pass : recording.passes)
    if (pass.input) add(verifier.check(pass));
  if (!recording.schedule.empty()) add(verifier.check_schedule());
  return verdict;
}

}  // namespace rangescope::app
