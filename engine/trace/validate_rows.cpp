#include "engine/trace/validate_rows.h"

namespace rangescope::trace {

namespace {

#define NODE(column) "(" column " < 1 OR " column " > {N})"
// elements of a JSON array of nodes; what is no JSON is found by another check
#define NODES_OF(table, column) table ", json_each(CASE WHEN json_valid(" column ") THEN " column " ELSE '[]' END) e"
#define NO_ARRAY(column) column " IS NOT NULL AND (NOT json_valid(" column ") OR json_type(" column ") <> 'array')"
#define MISSING(column, table) column " IS NOT NULL AND " column " NOT IN (SELECT id FROM " table ")"

constexpr RowCheck kChecks[] = {
    {"meta", "meta", "key", "key = 'flags' AND (NOT json_valid(value) OR json_type(value) <> 'object')",
     "is no JSON object"},
    {"meta", "meta", "key", "key = 'kernel_graph' AND " NODE("CAST(value AS INTEGER)"), "is no node"},

    {"sections", "sections", "id", "id < 1 OR id > (SELECT count(*) FROM sections)", "ids run from 1 without a gap"},
    {"sections", "sections", "id", "kind NOT IN ('schedule', 'kernel', 'other')", "kind is schedule, kernel or other"},
    {"sections",
     "(SELECT section AS id FROM (SELECT section, lag(section) OVER (ORDER BY id) AS before FROM passes) WHERE before "
     "IS "
     "NULL OR before <> section GROUP BY section HAVING count(*) > 1)",
     "id", "1", "its passes are not one run"},
    {"sections", "sections", "id", "root IS NOT NULL AND " NODE("root"), "its root is no node"},

    {"rules", "rules", "id", "id < 1 OR id > (SELECT count(*) FROM rules)", "ids run from 1 without a gap"},
    {"rules", "rules", "id", "name = ''", "has no name"},
    {"rules", "rules", "id", "pattern IS NOT NULL AND (NOT json_valid(pattern) OR json_type(pattern) <> 'object')",
     "its pattern is no JSON object; a foreign rule has none"},

    {"passes", "passes", "id", "id < 1 OR id > (SELECT count(*) FROM passes)", "ids run from 1 without a gap"},
    {"passes", "passes", "id", MISSING("section", "sections"), "its section does not exist"},
    {"passes", "passes", "id", "parent IS NOT NULL AND (parent < 1 OR parent >= id)",
     "its parent does not stand before it"},
    {"passes", "passes", "id", "depth < 0 OR (parent IS NULL AND depth <> 0)",
     "it has no parent, and its depth is not 0"},
    {"passes", "passes p JOIN passes q ON q.id = p.parent", "p.id", "p.depth <> q.depth + 1",
     "its depth is not one more than its parent's"},
    {"passes", "passes p JOIN passes q ON q.id = p.parent", "p.id", "p.section <> q.section",
     "its parent is in another section"},
    {"passes", "passes", "id",
     "bottom_up NOT IN (0, 1) OR walk NOT IN (0, 1) OR enter_calls NOT IN (0, 1) OR is_group NOT IN (0, 1)",
     "bottom_up, walk, enter_calls and is_group are 0 or 1"},
    {"passes", "passes", "id", "is_group = 0 AND input IS NULL", "it is no group, and has no input"},
    {"passes", "passes", "id", "is_group = 1 AND (input IS NOT NULL OR output IS NOT NULL)",
     "it is a group, and has an input or output"},
    {"passes", "passes", "id", "input IS NOT NULL AND " NODE("input"), "its input is no node"},
    {"passes", "passes", "id", "output IS NOT NULL AND " NODE("output"), "its output is no node"},
    {"passes", "passes", "id", "matches < 0 OR ns < 0", "matches and ns are not below 0"},
    {"passes",
     "passes p LEFT JOIN (SELECT pass, count(*) AS n FROM matches WHERE after IS NOT NULL GROUP BY pass) m ON m.pass = "
     "p.id",
     "p.id", "p.matches IS NOT NULL AND p.matches <> coalesce(m.n, 0)",
     "its `matches` is not the number of its matches that have an after"},
    {"passes", "passes", "id", "output IS NOT NULL AND id IN (SELECT pass FROM matches WHERE after IS NULL)",
     "a rule of it refused the graph, and it has an output"},

    {"matches", "matches", "id", "id < 1 OR id > (SELECT count(*) FROM matches)", "ids run from 1 without a gap", 1,
     true},
    {"matches", "matches", "id", MISSING("pass", "passes"), "its pass does not exist"},
    {"matches", "matches m JOIN passes p ON p.id = m.pass", "m.id", "p.is_group = 1", "its pass is a group"},
    {"matches", "matches", "id", NODE("before"), "its before is no node"},
    {"matches", "matches", "id", "after IS NOT NULL AND " NODE("after"), "its after is no node"},
    {"matches", "matches", "id", "before = after", "before and after are the same node"},
    {"matches", "matches", "id", MISSING("rule", "rules"), "its rule does not exist"},
    {"matches", "matches", "id", "ns < 0", "ns is below 0"},

    {"errors", "errors", "id", MISSING("pass", "passes"), "its pass does not exist"},
    {"errors", "errors", "id", MISSING("match", "matches"), "its match does not exist"},
    {"errors", "errors e JOIN matches m ON m.id = e.match", "e.id", "m.after IS NOT NULL",
     "its match has an after: a rule that refuses the graph has none"},

    {"errors", "errors e JOIN matches m ON m.id = e.match", "e.id", "e.pass IS NOT NULL AND e.pass <> m.pass",
     "its match is of another pass"},

    {"node_metadata", "node_metadata", "node", NODE("node"), "is no node"},

    {"kernels", "kernels", "id", "ast IS NOT NULL AND " NODE("ast"), "its ast is no node"},
    {"kernels", "kernels", "id", "sink IS NOT NULL AND " NODE("sink"), "its sink is no node"},
    {"kernels", "kernels", "id", MISSING("section", "sections"), "its section does not exist"},
    {"kernels", "kernels", "id", NO_ARRAY("linear"), "linear is no JSON array"},
    {"kernels", NODES_OF("kernels k", "k.linear"), "k.id", "typeof(e.value) <> 'integer' OR " NODE("e.value"),
     "linear names what is no node"},
    {"kernels", "kernels", "id", NO_ARRAY("global_size"), "global_size is no JSON array"},
    {"kernels", "kernels", "id", NO_ARRAY("local_size"), "local_size is no JSON array"},
    {"kernels", NODES_OF("kernels k", "k.global_size"), "k.id", "e.type NOT IN ('integer', 'null') OR e.value < 0",
     "global_size holds what is no size"},
    {"kernels", NODES_OF("kernels k", "k.local_size"), "k.id", "e.type NOT IN ('integer', 'null') OR e.value < 0",
     "local_size holds what is no size"},
    {"kernels", "kernels", "id", "ops < 0 OR bytes < 0", "ops and bytes are not below 0"},

    {"buffers", "buffers", "id", "node IS NOT NULL AND " NODE("node"), "its node is no node"},
    {"buffers", "buffers", "id", "count < 0 OR bytes < 0", "count and bytes are not below 0"},

    {"schedule", "schedule", "id", "kind NOT IN ('kernel', 'copy', 'call')", "kind is kernel, copy or call"},
    {"schedule", "schedule", "id", "ast IS NOT NULL AND " NODE("ast"), "its ast is no node"},
    {"schedule", "schedule", "id", MISSING("kernel", "kernels"), "its kernel does not exist"},
    {"schedule", "schedule", "id", NO_ARRAY("buffers"), "buffers is no JSON array"},
    {"schedule", NODES_OF("schedule s", "s.buffers"), "s.id", "typeof(e.value) <> 'integer' OR " NODE("e.value"),
     "buffers names what is no node"},

    {"launches", "launches", "item || '.' || part", MISSING("item", "schedule"), "its item is not in the schedule", 2},
    {"launches", "launches", "item || '.' || part", MISSING("kernel", "kernels"), "its kernel does not exist", 2},
    {"launches", "launches", "item || '.' || part", "part < 0 OR ops < 0 OR bytes < 0 OR access_bytes < 0",
     "part, ops, bytes and access_bytes are not below 0", 2},

    {"runs", "runs", "id", "warm_ups < 0 OR repeats < 0 OR submit_ns < 0 OR wait_ns < 0", "holds a number below 0"},
    {"compiles", "compiles", "run || '.' || kernel",
     "codegen_ns < 0 OR glsl_ns < 0 OR pipeline_ns < 0 OR first_dispatch_ns < 0", "holds a time below 0"},
    {"compiles", "compiles", "run || '.' || kernel", MISSING("run", "runs"), "its run does not exist"},
    {"compiles", "compiles", "run || '.' || kernel", MISSING("kernel", "kernels"), "its kernel does not exist"},
    {"dispatches", "dispatches", "run || '.' || item", MISSING("run", "runs"), "its run does not exist"},
    {"dispatches", "dispatches", "run || '.' || item", MISSING("item", "schedule"), "its item is not in the schedule"},
    {"dispatches", "dispatches d LEFT JOIN launches l ON l.item = d.item AND l.part = d.part",
     "d.run || '.' || d.item || '.' || d.part", "l.item IS NULL", "there is no launch of this item and part", 2},
    {"dispatches", "dispatches", "run || '.' || item", "ns < 0 OR repeat < 0 OR warm_up NOT IN (0, 1)",
     "ns and repeat are not below 0, warm_up is 0 or 1"},
    {"dispatches", "dispatches", "run || '.' || item || '.' || part", "start_ns < 0", "start_ns is below 0", 2},
};

#undef NODE
#undef NODES_OF
#undef NO_ARRAY
#undef MISSING

}  // namespace

std::span<const RowCheck> row_checks() {
  return kChecks;
}

std::string with_node_count(std::string_view sql, int64_t nodes) {
  std::string out;
  for (size_t at = 0;;) {
    const size_t hole = sql.find("{N}", at);
    out += sql.substr(at, hole - at);
    if (hole == std::string_view::npos) return out;
    out += std::to_string(nodes);
    at = hole + 3;
  }
}

}  // namespace rangescope::trace
