#include "tests/bench/kernels/compile_times.h"

#include <algorithm>
#include <map>

#include "engine/ir/line_reader.h"
#include "engine/runtime/report.h"
#include "tests/bench/kernels/side.h"

namespace rangescope::bench {

namespace {

struct Fastest {
  uint64_t ns = UINT64_MAX, glsl_ns = UINT64_MAX;
};

// Of the program's kernels, by their AST; the schedule's order is the same each time.
Result<void> generate_all(const std::string& line, const runtime::ProgramOptions& options,
                          std::map<std::pair<size_t, size_t>, Fastest>& times, size_t program) {
  const auto s = scheduled(line);
  if (!s) return tl::unexpected(s.error());
  UOps seen;
  for (const schedule::ScheduledCall& call : s->schedule.calls) {
    if (!call.ast.is(Op::SINK) || std::ranges::find(seen, call.ast) != seen.end()) continue;
    Fastest& fastest = times[{program, seen.size()}];
    seen.push_back(call.ast);
    const auto kernel = runtime::generate_kernel(call.ast, options);
    if (!kernel) return tl::unexpected(kernel.error());
    fastest.ns = std::min(fastest.ns, kernel->codegen_ns);
    fastest.glsl_ns = std::min(fastest.glsl_ns, kernel->glsl_ns);
  }
  return {};
}

}  // namespace

Result<CompileTimes> compile_times(const std::string& path, const runtime::ProgramOptions& options, int repeats) {
  std::map<std::pair<size_t, size_t>, Fastest> times;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    auto reader = LineReader::open(path);
    if (!reader) return tl::unexpected(reader.error());
    std::string line;
    for (size_t program = 0;; ++program) {
      const auto more = reader->next(line);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (auto done = generate_all(line, options, times, program); !done) return tl::unexpected(done.error());
    }
  }
  std::vector<uint64_t> ns, glsl_ns;
  for (const auto& [kernel, fastest] : times) {
    ns.push_back(fastest.ns);
    glsl_ns.push_back(fastest.glsl_ns);
  }
  if (ns.empty()) return refuse(path + " has no kernels");
  const auto ms = [](uint64_t n) { return static_cast<double>(n) / 1e6; };
  const runtime::Statistics all = runtime::summarize(ns);
  return CompileTimes{ns.size(), ms(all.median_ns), ms(all.p95_ns), ms(*std::ranges::max_element(ns)),
                      ms(runtime::summarize(glsl_ns).median_ns)};
}

}  // namespace rangescope::bench
