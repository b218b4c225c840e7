#include "engine/schedule/reachability.h"

#include "engine/ir/error.h"
#include "engine/ir/traversal.h"

namespace rangescope::schedule {

Reachability::Reachability(UOp root) {
  uint32_t next = 0;
  for (const UOp u : toposort(root)) {
    if (u.id() >= position_.size()) position_.resize(u.id() + 1, 0);
    position_[u.id()] = ++next;
  }
  answers_.assign(next + 1, Answer::Unknown);
}

uint32_t Reachability::position(UOp u) const {
  const uint32_t p = u.id() < position_.size() ? position_[u.id()] : 0;
  RS_CHECK(p != 0, "reachability is asked about nodes of its graph");
  return p;
}

Reachability::Answer Reachability::known(UOp u) const {
  // sources stand before their users
  const uint32_t p = position(u);
  const uint32_t goal = position(needle_);
  return p <= goal ? (p == goal ? Answer::Yes : Answer::No) : answers_[p];
}

bool Reachability::contains(UOp top, UOp needle) {
  if (position(top) <= position(needle)) return false;
  if (needle != needle_) {
    for (const uint32_t p : answered_) answers_[p] = Answer::Unknown;
    answered_.clear();
    needle_ = needle;
  }
  std::vector<std::pair<UOp, size_t>> stack{{top, 0}};
  while (!stack.empty()) {
    auto& [u, i] = stack.back();
    Answer a = known(u);
    if (a == Answer::Unknown) {
      // the last source that was looked at, then the next one
      if (i > 0 && known(u.srcs()[i - 1]) == Answer::Yes)
        a = Answer::Yes;
      else if (i == u.src_count())
        a = Answer::No;
      else {
        const UOp next = u.srcs()[i++];
        stack.emplace_back(next, 0);
        continue;
      }
      const uint32_t p = position(u);
      answers_[p] = a;
      answered_.push_back(p);
    }
    stack.pop_back();
  }
  return known(top) == Answer::Yes;
}

}  // namespace rangescope::schedule
