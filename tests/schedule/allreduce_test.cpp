#include "engine/schedule/allreduce.h"

#include <gtest/gtest.h>

#include "engine/ir/call.h"
#include "engine/symbolic/make_store.h"
#include "tests/schedule/cases.h"

namespace rangescope::schedule {
namespace {

TEST(Allreduce, IsWhatTheReferenceMakes) {
  for (const Case& c : read_cases("allreduce.jsonl")) {
    SCOPED_TRACE(c.name);
    const auto store = symbolic::make_store();
    set_flags(c, *store);
    store->extension<UniqueSlots>().next = 500;
    const UOps nodes = c.nodes(*store);
    const UOp red = c.node(nodes, "root");
    const bool whole = c.text.at("function") == "create_allreduce_function";
    EXPECT_EQ(whole ? create_allreduce_function(red.src(0), red) : handle_allreduce(red.src(0), red),
              c.node(nodes, "after"));
  }
}

}  // namespace
}  // namespace rangescope::schedule
