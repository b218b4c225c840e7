#include "engine/trace/saved_queries.h"

#include <algorithm>

namespace rangescope::trace {

namespace {

constexpr SavedQuery kQueries[] = {
    {"expensive-rules", "Most expensive rules",
     R"(SELECT r.name AS rule, count(*) AS fired, round(sum(m.ns) / 1e6, 3) AS ms,
       round(sum(m.ns) / 1e3 / count(*), 2) AS us_each, min(m.id) AS "match"
FROM matches m JOIN rules r ON r.id = m.rule
WHERE m.after IS NOT NULL GROUP BY r.id ORDER BY sum(m.ns) DESC)"},
    {"slowest-matches", "Slowest single matches",
     R"(SELECT m.id AS "match", m.pass, p.name AS pass_name, r.name AS rule, round(m.ns / 1e3, 2) AS us
FROM matches m JOIN rules r ON r.id = m.rule JOIN passes p ON p.id = m.pass
ORDER BY m.ns DESC, m.id LIMIT 200)"},
    {"passes-by-time", "Passes by time",
     R"(SELECT id AS pass, name, matches, round(ns / 1e6, 3) AS ms,
       round(ns / 1e3 / nullif(matches, 0), 2) AS us_a_match
FROM passes WHERE is_group = 0 ORDER BY ns DESC LIMIT 500)"},
    {"idle-passes", "Passes with no effect",
     R"(SELECT name, count(*) AS times, round(sum(ns) / 1e6, 3) AS ms, min(id) AS pass
FROM passes WHERE is_group = 0 AND matches = 0 GROUP BY name ORDER BY sum(ns) DESC)"},
    {"growth", "Growth by pass, in nodes",
     R"(SELECT pass, name, before_nodes, after_nodes, after_nodes - before_nodes AS growth FROM (
  SELECT id AS pass, name, CAST(graph_size(input) AS INTEGER) AS before_nodes,
         CAST(graph_size(output) AS INTEGER) AS after_nodes
  FROM passes WHERE output IS NOT NULL AND input <> output)
ORDER BY growth DESC)"},
    {"undone-rewrites", "Rewrites that undo others",
     R"(WITH m AS MATERIALIZED (SELECT id, pass, before, after, rule FROM matches WHERE before <> after)
SELECT a.pass, p.name AS pass_name, x.name AS does, y.name AS undoes, a.id AS "match", b.id AS undone_by
FROM m a JOIN m b ON b.before = a.after AND b.after = a.before AND b.pass = a.pass AND b.id > a.id
JOIN passes p ON p.id = a.pass JOIN rules x ON x.id = a.rule JOIN rules y ON y.id = b.rule
ORDER BY a.id)"},
    {"what-becomes-what", "What becomes what",
     R"(SELECT node_op(before) AS was, node_op(after) AS becomes, count(*) AS times, min(id) AS "match"
FROM matches WHERE after IS NOT NULL GROUP BY 1, 2 ORDER BY times DESC)"},
    {"kernels-by-time", "Kernels by time, last run",
     R"(SELECT k.name, t.n AS dispatches, round(t.mean_ns / 1e3, 2) AS mean_us, round(t.min_ns / 1e3, 2) AS least_us,
       round(t.mean_ns * t.n / 1e6, 3) AS ms_in_all, (SELECT min(item) FROM launches WHERE kernel = k.id) AS item
FROM kernel_times t JOIN kernels k ON k.id = t.kernel
WHERE t.run = (SELECT max(id) FROM runs) ORDER BY t.mean_ns * t.n DESC)"},
    {"code-generation", "Code generation by kernel",
     R"(SELECT s.name AS section, k.name AS kernel, count(p.id) AS passes, sum(p.matches) AS matches,
       round(sum(CASE WHEN coalesce(p.parent, 0) = 0 THEN p.ns END) / 1e6, 3) AS ms, min(p.id) AS pass
FROM sections s JOIN passes p ON p.section = s.id LEFT JOIN kernels k ON k.section = s.id
WHERE s.kind = 'kernel' GROUP BY s.id ORDER BY ms DESC)"},
    {"buffers", "Buffers by size", R"(SELECT name, dtype, count, bytes, node FROM buffers ORDER BY bytes DESC, id)"},
    {"refusals", "What was refused, and by which rule",
     R"(SELECT e.message, e.pass, e."match", r.name AS rule
FROM errors e LEFT JOIN matches m ON m.id = e."match" LEFT JOIN rules r ON r.id = m.rule ORDER BY e.id)"},
};

}  // namespace

std::span<const SavedQuery> saved_queries() {
  return kQueries;
}

const SavedQuery* find_saved_query(std::string_view name) {
  const auto it = std::ranges::find(kQueries, name, &SavedQuery::name);
  return it == std::end(kQueries) ? nullptr : &*it;
}

}  // namespace rangescope::trace
