#include "tests/symbolic/rule_case.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "engine/ir/json.h"
#include "engine/ir/json_reader.h"
#include "engine/ir/line_reader.h"
#include "engine/symbolic/make_store.h"
#include "engine/symbolic/rule_sets.h"

namespace rangescope::symbolic::testing {

namespace {

RuleCase read_case(const std::string& line, Store& store) {
  RuleCase c;
  UOps nodes;
  JsonReader in(line);
  const auto node = [&] { return nodes.at(static_cast<size_t>(in.integer(0, INT64_MAX))); };
  in.object([&](std::string_view key) {
    if (key == "set")
      c.set = in.string();
    else if (key == "index")
      c.index = static_cast<size_t>(in.integer(0, INT64_MAX));
    else if (key == "nodes")
      nodes = read_nodes(in, store, SIZE_MAX, {});
    else if (key == "root")
      c.before = node();
    else if (key == "after" && !in.try_null())
      c.after = node();
  });
  return c;
}

}  // namespace

const Rule& RuleCase::rule() const {
  for (const NamedRuleSet& named : rule_sets())
    if (named.name == set) return *named.rules().entries().at(index).rule;
  throw std::out_of_range("no rule set " + set);
}

void for_each_rule_case(const std::function<void(const RuleCase&)>& use) {
  auto lines = LineReader::open(RANGESCOPE_SOURCE_DIR "/tests/symbolic/data/rule_cases.jsonl.gz");
  ASSERT_TRUE(lines) << lines.error().message;
  std::string line;
  while (*lines->next(line)) {
    const auto store = make_store();
    use(read_case(line, *store));
  }
}

}  // namespace rangescope::symbolic::testing
