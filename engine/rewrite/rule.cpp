#include "engine/rewrite/rule.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "engine/ir/error.h"
#include "engine/rewrite/compiled_pattern.h"

namespace rangescope {

namespace {

uint32_t next_number() {
  static std::atomic<uint32_t> next{0};
  return next++;
}

RuleSet::Entry make_entry(const Rule& rule, const CompiledPattern& compiled) {
  RuleSet::Entry entry{&rule, &compiled, compiled.early_reject, groups::All, groups::All, false};
  const CompiledNode& root = compiled.nodes[0];
  const auto source = [&](uint32_t i) { return compiled.nodes[compiled.orders[root.first_order + i]].ops; };
  if (root.required > 0) entry.first = source(0);
  if (root.required > 1) entry.second = source(1);
  entry.swapped = root.order_count > 1;
  return entry;
}

}  // namespace

RuleSet::RuleSet(std::string_view name, std::vector<Rule> rules) : name_(name), number_(next_number()) {
  for (Rule& r : rules) {
    RS_CHECK(r.rewrite != nullptr, "a rule has a rewrite");
    owned_.push_back(std::make_shared<const Rule>(std::move(r)));
    compiled_.push_back(std::make_shared<const CompiledPattern>(compile(owned_.back()->pattern)));
    entries_.push_back(make_entry(*owned_.back(), *compiled_.back()));
  }
  index();
}

RuleSet::RuleSet(std::string_view name, std::initializer_list<const RuleSet*> parts)
    : name_(name), number_(next_number()) {
  for (const RuleSet* part : parts) {
    owned_.insert(owned_.end(), part->owned_.begin(), part->owned_.end());
    compiled_.insert(compiled_.end(), part->compiled_.begin(), part->compiled_.end());
    entries_.insert(entries_.end(), part->entries_.begin(), part->entries_.end());
  }
  index();
}

RuleSet::RuleSet(const RuleSet& rules, const std::function<bool(const Entry&)>& is_off)
    : name_(rules.name_), number_(next_number()), owned_(rules.owned_), compiled_(rules.compiled_) {
  std::ranges::remove_copy_if(rules.entries_, std::back_inserter(entries_), is_off);
  index();
}

void RuleSet::index() {
  for (const Entry& e : entries_) {
    root_ops_ |= e.compiled->root_ops;
    for (const Op op : e.compiled->root_ops) by_op_[static_cast<size_t>(op)].push_back(e);
  }
}

}  // namespace rangescope
