#include "engine/trace/kernel_rows.h"

#include <span>

namespace rangescope::trace {

namespace {

void bind_id(Statement& s, int i, int64_t id) {
  if (id != 0)
    s.bind(i, id);
  else
    s.bind_null(i);
}

std::string json_array(std::span<const int64_t> values) {
  std::string s = "[";
  for (const int64_t v : values) s += (s.size() > 1 ? "," : "") + std::to_string(v);
  return s + "]";
}

template <class Row, class Bind>
Result<void> insert(Database& db, const char* sql, const std::vector<Row>& rows, Bind bind) {
  auto s = db.prepare(sql);
  if (!s) return tl::unexpected(s.error());
  for (const Row& row : rows) {
    bind(*s, row);
    if (auto done = s->execute(); !done) return done;
  }
  return {};
}

}  // namespace

Result<void> insert_kernels(Database& db, const std::vector<KernelRow>& rows) {
  auto inserted =
      insert(db, "INSERT INTO kernels VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", rows, [](Statement& s, const KernelRow& k) {
        s.bind(1, k.id);
        bind_id(s, 2, k.ast);
        bind_id(s, 3, k.section);
        s.bind(4, std::string_view(k.name));
        bind_id(s, 5, k.sink);
        s.bind(6, std::string_view(json_array(k.linear)));
        s.bind(7, std::string_view(k.source));
        s.bind_blob(8, {reinterpret_cast<const char*>(k.spirv.data()), k.spirv.size() * sizeof(uint32_t)});
        s.bind(9, std::string_view(k.disassembly));
        s.bind(10, std::string_view(k.global_size));
        s.bind(11, std::string_view(k.local_size));
        s.bind(12, k.ops);
        s.bind(13, k.bytes);
      });
  if (!inserted) return inserted;
  // the section of a kernel's code generation is named once the kernel has a name
  std::vector<const KernelRow*> named;
  for (const KernelRow& k : rows)
    if (k.section != 0) named.push_back(&k);
  return insert(db, "UPDATE sections SET name=?2 WHERE id=?1", named, [](Statement& s, const KernelRow* k) {
    s.bind(1, k->section);
    s.bind(2, std::string_view(k->name));
  });
}

Result<void> insert_buffers(Database& db, const std::vector<BufferRow>& rows) {
  return insert(db, "INSERT INTO buffers VALUES(?,?,?,?,?,?)", rows, [](Statement& s, const BufferRow& b) {
    s.bind(1, b.id);
    bind_id(s, 2, b.node);
    s.bind(3, std::string_view(b.name));
    s.bind(4, std::string_view(b.dtype));
    s.bind(5, b.count);
    s.bind(6, b.bytes);
  });
}

Result<void> insert_schedule(Database& db, const std::vector<ScheduleRow>& rows) {
  return insert(db, "INSERT INTO schedule VALUES(?,?,?,?,?)", rows, [](Statement& s, const ScheduleRow& r) {
    s.bind(1, r.id);
    s.bind(2, std::string_view(r.kind));
    bind_id(s, 3, r.ast);
    bind_id(s, 4, r.kernel);
    s.bind(5, std::string_view(json_array(r.buffers)));
  });
}

Result<void> insert_launches(Database& db, const std::vector<LaunchRow>& rows) {
  return insert(db, "INSERT INTO launches VALUES(?,?,?,?,?,?)", rows, [](Statement& s, const LaunchRow& l) {
    s.bind(1, l.item);
    s.bind(2, l.part);
    bind_id(s, 3, l.kernel);
    s.bind(4, l.ops);
    s.bind(5, l.bytes);
    s.bind(6, l.access_bytes);
  });
}

Result<void> insert_run(Database& db, const RunRow& run) {
  if (auto r = insert(db, "INSERT INTO runs VALUES(NULL,?,?,?,?,?,?,?)", std::vector<const RunRow*>{&run},
                      [](Statement& s, const RunRow* row) {
                        s.bind(1, std::string_view(row->device));
                        s.bind(2, std::string_view(row->driver));
                        s.bind(3, row->timestamp_period_ns);
                        s.bind(4, row->warm_ups);
                        s.bind(5, row->repeats);
                        s.bind(6, row->submit_ns);
                        s.bind(7, row->wait_ns);
                      });
      !r)
    return r;
  const int64_t id = db.last_insert_id();
  if (auto r = insert(db, "INSERT INTO compiles VALUES(?,?,?,?,?,?)", run.compiles,
                      [&](Statement& s, const CompileRow& c) {
                        s.bind(1, id);
                        s.bind(2, c.kernel);
                        s.bind(3, c.codegen_ns);
                        s.bind(4, c.glsl_ns);
                        s.bind(5, c.pipeline_ns);
                        s.bind(6, c.first_dispatch_ns);
                      });
      !r)
    return r;
  return insert(db, "INSERT INTO dispatches VALUES(?,?,?,?,?,?,?)", run.dispatches,
                [&](Statement& s, const DispatchRow& d) {
                  s.bind(1, id);
                  s.bind(2, d.item);
                  s.bind(3, d.part);
                  s.bind(4, d.repeat);
                  s.bind(5, static_cast<int64_t>(d.warm_up));
                  s.bind(6, d.start_ns);
                  s.bind(7, d.ns);
                });
}

}  // namespace rangescope::trace
