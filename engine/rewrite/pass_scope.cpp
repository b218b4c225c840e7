#include "engine/rewrite/pass_scope.h"

#include <exception>

namespace rangescope {

PassScope::PassScope(Store& store, const RewriteOptions& options, UOp root)
    : tracking_(tracking(store)), reported_(tracking_.active()) {
  if (!reported_) return;
  tracking_.observer->pass_begin(
      {options.name, tracking_.depth, options.bottom_up, options.walk, options.enter_calls, false}, root);
  ++tracking_.depth;
  ++tracking_.passes;
}

PassScope::~PassScope() {
  if (reported_) --tracking_.depth;
}

void PassScope::end(UOp root) const {
  if (reported_) tracking_.observer->pass_end(root);
}

PassGroup::PassGroup(Store& store, std::string_view name)
    : store_(store), reported_(tracking(store).active()), unwinding_(std::uncaught_exceptions()) {
  if (!reported_) return;
  Tracking& t = tracking(store);
  t.observer->pass_begin({name, t.depth, false, false, false, true}, {});
  ++t.depth;
}

PassGroup::~PassGroup() {
  if (!reported_) return;
  Tracking& t = tracking(store_);
  --t.depth;
  if (std::uncaught_exceptions() == unwinding_) t.observer->pass_end({});
}

}  // namespace rangescope
