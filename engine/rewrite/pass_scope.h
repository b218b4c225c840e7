#pragma once

#include "engine/rewrite/driver.h"

namespace rangescope {

// Reports a pass for as long as it runs. A pass that is unwound by a refusal does not end.
class PassScope {
 public:
  PassScope(Store& store, const RewriteOptions& options, UOp root);
  ~PassScope();
  PassScope(const PassScope&) = delete;
  PassScope& operator=(const PassScope&) = delete;
  void end(UOp root) const;

 private:
  Tracking& tracking_;
  bool reported_;
};

}  // namespace rangescope
