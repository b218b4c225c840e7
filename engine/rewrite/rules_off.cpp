#include "engine/rewrite/rules_off.h"

#include <algorithm>

namespace rangescope {

bool RulesOff::contains(std::string_view rule) const {
  return std::ranges::find(names_, rule) != names_.end();
}

const RuleSet& RulesOff::left_of(const RuleSet& rules) {
  const size_t number = rules.number();
  if (number >= by_number_.size()) by_number_.resize(number + 1);
  Left& left = by_number_[number];
  const auto is_off = [this](const RuleSet::Entry& e) { return contains(e.rule->name); };
  if (!left.known && std::ranges::any_of(rules.entries(), is_off))
    left.rules = std::make_unique<const RuleSet>(rules, is_off);
  left.known = true;
  return left.rules ? *left.rules : rules;
}

namespace {

struct OwnRulesOff {
  static constexpr bool kOutlivesNodes = true;
  std::unique_ptr<RulesOff> rules;
};

}  // namespace

void switch_off(Store& store, std::vector<std::string> rules) {
  auto& off = store.extension<OwnRulesOff>().rules;
  off = rules.empty() ? nullptr : std::make_unique<RulesOff>(std::move(rules));
  tracking(store).off = off.get();
}

}  // namespace rangescope
