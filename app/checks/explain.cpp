#include "app/checks/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/checks/rule_catalog.h"
#include "engine/ir/text.h"
#include "engine/rewrite/explain.h"
#include "engine/trace/reader.h"

namespace rangescope::app {

namespace {

class Explaining {
 public:
  Explaining(trace::Reader& reader, const trace::Pass& pass, const ExplainOptions& options)
      : reader_(reader), pass_(pass), options_(options) {}
  Result<std::string> run();

 private:
  // What became of the node in the pass, as far as this rule is concerned.
  std::string outcome(const Rule& rule, const Explanation& e) const;
  void append_rule(const CatalogRule& rule, UOp node);

  trace::Reader& reader_;
  const trace::Pass& pass_;
  const ExplainOptions& options_;
  std::vector<trace::StepMatch> matches_;
  int64_t node_ = 0;
  std::string out_;
};

// A trace of another program names rules its own way; they are ours where they stand in the same place of the
// reference.
bool is_rule(const trace::RuleInfo& traced, const Rule& rule) {
  return traced.name == rule.name || (traced.pattern.empty() && traced.ref == rule.ref);
}

std::vector<const CatalogRule*> rules_named(const trace::RuleInfo* traced, std::string_view name) {
  if (const CatalogRule* known = find_rule(name)) return {known};
  return rules_of(traced != nullptr ? std::string_view(traced->ref) : name);
}

std::string Explaining::outcome(const Rule& rule, const Explanation& e) const {
  for (size_t k = 0; k < matches_.size(); ++k) {
    const trace::StepMatch& m = matches_[k];
    if (m.before != node_ || static_cast<int64_t>(k) < options_.step) continue;
    const trace::RuleInfo* by = reader_.rule(m.rule);
    if (by == nullptr) continue;
    if (is_rule(*by, rule)) return fmt::format("it fires here: match {}", k);
    if (e.matches)
      return fmt::format("the pattern matches, but the rule {} came first or this one declined: match {} is by {}",
                         by->name, k, by->name);
    return {};
  }
  if (!e.matches) return {};
  const bool used = std::ranges::any_of(matches_, [&](const trace::StepMatch& m) {
    const trace::RuleInfo* by = reader_.rule(m.rule);
    return by != nullptr && is_rule(*by, rule);
  });
  return used ? "the pattern matches, but the rule declined: its condition does not hold here"
              : "the pattern matches; the rule fired nowhere in this pass: it declined, or the pass does not use it";
}

void Explaining::append_rule(const CatalogRule& rule, UOp node) {
  const Explanation e = explain(rule.rule->pattern, node);
  out_ += fmt::format("{}  ({}, {})\n  {}\n  pattern: {}\n  {}\n", rule.rule->name, rule.set, rule.rule->ref,
                      rule.rule->explanation, to_string(rule.rule->pattern), to_string(e));
  if (!e.matches && e.node)
    out_ += fmt::format("  there stands {}{}\n", short_label(e.node),
                        reader_.number_of(e.node) > 0 ? fmt::format(" (node {})", reader_.number_of(e.node)) : "");
  if (const std::string what = outcome(*rule.rule, e); !what.empty()) out_ += "  " + what + "\n";
}

Result<std::string> Explaining::run() {
  auto matches = reader_.matches(pass_.id, 0, pass_.matches);
  if (!matches) return tl::unexpected(matches.error());
  matches_ = std::move(*matches);
  const auto count = static_cast<int64_t>(matches_.size());
  if (options_.step > count)
    return refuse(fmt::format("pass {} has {} matches: --step is at most that.", pass_.id, count));
  node_ = options_.node;
  std::string rule = options_.rule;
  const trace::RuleInfo* traced = nullptr;
  if (node_ == 0) {
    if (options_.step == count)
      return refuse(
          fmt::format("no match follows step {} of pass {}: choose a node with --node.", options_.step, pass_.id));
    const trace::StepMatch& next = matches_[static_cast<size_t>(options_.step)];
    node_ = next.before;
    if (const trace::RuleInfo* by = reader_.rule(next.rule); by != nullptr && rule.empty()) {
      rule = by->name;
      traced = by;
    }
  }
  if (node_ < 1 || node_ > reader_.node_count())
    return refuse(fmt::format("there is no node {}: the nodes are 1 to {}.", node_, reader_.node_count()));
  const auto node = reader_.node(node_);
  if (!node) return tl::unexpected(node.error());
  out_ = fmt::format("pass {} ({}), step {}, node {}: {}\n\n", pass_.id, pass_.name, options_.step, node_,
                     short_label(*node));
  if (!rule.empty()) {
    const std::vector<const CatalogRule*> known = rules_named(traced, rule);
    if (known.empty() && traced != nullptr && traced->pattern.empty()) {
      return out_ + fmt::format("{}\n  a rule of another program, that this engine does not have:\n\n{}\n", rule,
                                traced->source);
    }
    if (known.empty()) return refuse(fmt::format("there is no rule \"{}\": `rangescope rules` lists them.", rule));
    for (const CatalogRule* k : known) append_rule(*k, *node);
    return out_;
  }
  std::vector<int64_t> shown;
  for (const trace::StepMatch& m : matches_) {
    if (std::ranges::find(shown, m.rule) != shown.end()) continue;
    shown.push_back(m.rule);
    const trace::RuleInfo* by = reader_.rule(m.rule);
    if (by == nullptr) continue;
    for (const CatalogRule* known : rules_named(by, by->name)) {
      if (shown.size() > 1) out_ += "\n";
      append_rule(*known, *node);
    }
  }
  if (shown.empty()) out_ += "no rule fired in this pass; choose one with --rule.\n";
  return out_;
}

}  // namespace

Result<std::string> explain_text(const ExplainOptions& options) {
  auto reader = trace::Reader::open(options.trace);
  if (!reader) return tl::unexpected(reader.error());
  const trace::Pass* pass = (*reader)->pass(options.pass);
  if (pass == nullptr)
    return refuse(fmt::format("{} has no pass {}: `rangescope info` lists them.", options.trace, options.pass));
  return Explaining(**reader, *pass, options).run();
}

}  // namespace rangescope::app
