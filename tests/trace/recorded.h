#pragma once
// A small recorded rewrite for the tests of this folder.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "engine/rewrite/driver.h"
#include "engine/trace/reader.h"
#include "engine/trace/recorder.h"

namespace rangescope::trace {

inline const RuleSet& drop_zero() {
  using namespace captures;
  static const RuleSet rules("drop-zero", {{"add-zero", "x + 0 is x", "uop/symbolic.py:131", var(x) + 0,
                                            [](const Match& m) { return m[x]; }}});
  return rules;
}

// MUL by 2 becomes x + x.
inline const RuleSet& double_by_adding() {
  using namespace captures;
  static const RuleSet rules("double", {{"double-by-adding", "2 * x is x + x", "", var(x) * 2, [](const Match& m) {
                                           return m.store().make(Op::ADD, {m[x], m[x]});
                                         }}});
  return rules;
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "rangescope-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// sink((v + 0) * 2, w + 0): pass "clean" drops the zeros, pass "double" replaces the product.
inline UOp sample_program(Store& store) {
  const UOp v = store.variable("v", 0, 9), w = store.variable("w", 0, 9), zero = store.constant(0);
  return store.sink(
      UOps{store.make(Op::MUL, {store.make(Op::ADD, {v, zero}), store.constant(2)}), store.make(Op::ADD, {w, zero})});
}

inline UOp rewrite_sample(UOp root) {
  const PassGroup group(root.store(), "sample");
  const UOp clean = graph_rewrite(root, drop_zero(), {.name = "clean"});
  return graph_rewrite(clean, double_by_adding(), {.name = "double", .bottom_up = true});
}

inline void record_sample(const std::string& path) {
  Store store;
  auto recorder = Recorder::create(path, store);
  ASSERT_TRUE(recorder) << recorder.error().message;
  const UOp root = sample_program(store);
  (*recorder)->begin_section("schedule", "sample", root);
  const ObserverScope scope(store, **recorder);
  rewrite_sample(root);
  const auto finished = (*recorder)->finish();
  ASSERT_TRUE(finished) << finished.error().message;
}

}  // namespace rangescope::trace
