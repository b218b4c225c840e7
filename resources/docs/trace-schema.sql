-- The tables and views of a trace, format 2. trace-format.md says what they hold.
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE sections(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, root INTEGER);
CREATE TABLE rules(id INTEGER PRIMARY KEY, name TEXT NOT NULL, explanation TEXT, ref TEXT, pattern TEXT, source TEXT);
CREATE TABLE args(id INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE node_blocks(first INTEGER PRIMARY KEY, count INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE node_metadata(node INTEGER PRIMARY KEY, name TEXT, location TEXT);
CREATE TABLE passes(id INTEGER PRIMARY KEY, section INTEGER NOT NULL, parent INTEGER, depth INTEGER NOT NULL, name TEXT NOT NULL,
  bottom_up INTEGER NOT NULL, walk INTEGER NOT NULL, enter_calls INTEGER NOT NULL, is_group INTEGER NOT NULL,
  input INTEGER, output INTEGER, matches INTEGER, ns INTEGER);
CREATE TABLE matches(id INTEGER PRIMARY KEY, pass INTEGER NOT NULL, before INTEGER NOT NULL, after INTEGER, rule INTEGER NOT NULL,
  ns INTEGER NOT NULL);
CREATE TABLE errors(id INTEGER PRIMARY KEY, pass INTEGER, match INTEGER, message TEXT NOT NULL);
CREATE TABLE kernels(id INTEGER PRIMARY KEY, ast INTEGER, section INTEGER, name TEXT NOT NULL, sink INTEGER, linear TEXT, source TEXT,
  spirv BLOB, disassembly TEXT, global_size TEXT, local_size TEXT, ops INTEGER, bytes INTEGER);
CREATE TABLE buffers(id INTEGER PRIMARY KEY, node INTEGER, name TEXT, dtype TEXT, count INTEGER, bytes INTEGER);
CREATE TABLE schedule(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, ast INTEGER, kernel INTEGER, buffers TEXT);
CREATE TABLE runs(id INTEGER PRIMARY KEY, device TEXT NOT NULL, driver TEXT, timestamp_period_ns REAL, warm_ups INTEGER, repeats INTEGER,
  submit_ns INTEGER, wait_ns INTEGER);
CREATE TABLE compiles(run INTEGER NOT NULL, kernel INTEGER NOT NULL, codegen_ns INTEGER, glsl_ns INTEGER, pipeline_ns INTEGER,
  first_dispatch_ns INTEGER, PRIMARY KEY(run, kernel)) WITHOUT ROWID;
CREATE TABLE launches(item INTEGER NOT NULL, part INTEGER NOT NULL, kernel INTEGER, ops INTEGER, bytes INTEGER, access_bytes INTEGER,
  PRIMARY KEY(item, part)) WITHOUT ROWID;
CREATE TABLE dispatches(run INTEGER NOT NULL, item INTEGER NOT NULL, part INTEGER NOT NULL, repeat INTEGER NOT NULL, warm_up INTEGER NOT NULL,
  start_ns INTEGER, ns INTEGER NOT NULL, PRIMARY KEY(run, item, part, warm_up, repeat)) WITHOUT ROWID;
CREATE VIEW rule_statistics AS
  SELECT r.id, r.name, count(m.id) AS hits, coalesce(sum(m.ns), 0) AS ns FROM rules r LEFT JOIN matches m ON m.rule = r.id AND m.after IS NOT NULL
  GROUP BY r.id;
CREATE VIEW dispatch_times AS
  WITH ranked AS (SELECT run, item, part, ns, row_number() OVER (PARTITION BY run, item, part ORDER BY ns) AS i,
      count(*) OVER (PARTITION BY run, item, part) AS n FROM dispatches WHERE warm_up = 0)
  SELECT run, item, part, n, min(ns) AS min_ns, max(CASE WHEN i = (n * 50 + 99) / 100 THEN ns END) AS median_ns,
    max(CASE WHEN i = (n * 95 + 99) / 100 THEN ns END) AS p95_ns,
    max(CASE WHEN i = (n * 75 + 99) / 100 THEN ns END) - max(CASE WHEN i = (n * 25 + 99) / 100 THEN ns END) AS spread_ns, max(ns) AS max_ns
  FROM ranked GROUP BY run, item, part;
CREATE VIEW kernel_times AS
  SELECT d.run, l.kernel, k.name, count(*) AS n, min(d.ns) AS min_ns, avg(d.ns) AS mean_ns, max(d.ns) AS max_ns
  FROM dispatches d JOIN launches l ON l.item = d.item AND l.part = d.part JOIN kernels k ON k.id = l.kernel WHERE d.warm_up = 0
  GROUP BY d.run, l.kernel;
-- made when the recording is complete
CREATE INDEX IF NOT EXISTS matches_by_pass ON matches(pass, id);
