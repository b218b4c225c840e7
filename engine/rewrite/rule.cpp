#include "engine/rewrite/rule.h"

#include "engine/ir/error.h"
#include "engine/rewrite/compiled_pattern.h"

namespace rangescope {

RuleSet::RuleSet(std::string_view name, std::vector<Rule> rules) : name_(name) {
  for (Rule& r : rules) {
    RS_CHECK(r.rewrite != nullptr, "a rule has a rewrite");
    owned_.push_back(std::make_shared<const Rule>(std::move(r)));
    compiled_.push_back(std::make_shared<const CompiledPattern>(compile(owned_.back()->pattern)));
    entries_.push_back({owned_.back().get(), compiled_.back().get()});
  }
  index();
}

RuleSet::RuleSet(std::string_view name, std::initializer_list<const RuleSet*> parts) : name_(name) {
  for (const RuleSet* part : parts) {
    owned_.insert(owned_.end(), part->owned_.begin(), part->owned_.end());
    compiled_.insert(compiled_.end(), part->compiled_.begin(), part->compiled_.end());
    entries_.insert(entries_.end(), part->entries_.begin(), part->entries_.end());
  }
  index();
}

void RuleSet::index() {
  for (const Entry& e : entries_)
    for (const Op op : e.compiled->root_ops) by_op_[static_cast<size_t>(op)].push_back(e);
}

}  // namespace rangescope
