#pragma once
// An observer that keeps every pass and match in memory, as the corpus writes them: passes in the order in which they
// began, a refusal in the innermost pass under way.

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/program.h"
#include "engine/rewrite/observer.h"

namespace rangescope {

class PassRecorder : public RewriteObserver {
 public:
  void pass_begin(const PassInfo& info, UOp root) override {
    PassRecord& pass = passes.emplace_back();
    pass.depth = static_cast<int>(info.depth);
    pass.name = info.name;
    pass.bottom_up = info.bottom_up;
    pass.walk = info.walk;
    pass.enter_calls = info.enter_calls;
    pass.input = root;
    open_.push_back(passes.size() - 1);
  }
  void rule_matched(const Rule& rule, UOp before, UOp after, uint64_t) override { add(rule, before, after); }
  void rule_raised(const Rule& rule, UOp before, std::string_view) override { add(rule, before, {}); }
  void pass_end(UOp root) override {
    passes[open_.back()].output = root;
    open_.pop_back();
  }

  std::vector<PassRecord> passes;

 private:
  void add(const Rule& rule, UOp before, UOp after) {
    if (!open_.empty()) passes[open_.back()].matches.push_back({before, after, std::string(rule.ref)});
  }
  std::vector<size_t> open_;
};

}  // namespace rangescope
