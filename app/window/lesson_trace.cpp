#include "app/window/lesson_trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "engine/codegen/pipeline.h"
#include "engine/ir/program.h"
#include "engine/schedule/create_schedule.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"
#include "engine/trace/recorder.h"

namespace rangescope::app {

namespace {

// Removed when the process ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rangescope-lesson-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Every kernel once, in the order in which they run.
Result<void> generate_kernels(UOp graph, trace::Recorder& recorder) {
  const auto schedule = schedule::create_schedule(graph);
  if (!schedule) return tl::unexpected(schedule.error());
  UOps generated;
  for (const schedule::ScheduledCall& call : schedule->calls) {
    if (!call.ast.is(Op::SINK) || std::ranges::find(generated, call.ast) != generated.end()) continue;
    generated.push_back(call.ast);
    recorder.begin_section("kernel", fmt::format("kernel {}", generated.size()), call.ast);
    if (const auto made = codegen::generate(call.ast); !made) return tl::unexpected(made.error());
  }
  return {};
}

}  // namespace

Result<std::string> record_lesson(const std::string& program, bool codegen) {
  static const TemporaryFolder folder;
  if (folder.path().empty()) return tl::unexpected(Error{"there is no place for temporary files: set TMPDIR."});
  const auto store = symbolic::make_store();
  auto p = read_program(program, *store);
  if (!p) return tl::unexpected(p.error());
  schedule::apply_settings(*p, *store);
  const std::string path = folder.path() + "/" + p->name + ".rscope";
  auto recorder = trace::Recorder::create(path, *store);
  if (!recorder) return tl::unexpected(recorder.error());
  (*recorder)->meta("program", p->name);
  {
    const ObserverScope scope(*store, **recorder);
    (*recorder)->begin_section("schedule", p->name, p->root);
    const auto graph = schedule::get_kernel_graph(p->root);
    if (!graph) return tl::unexpected(graph.error());
    (*recorder)->meta("kernel_graph", std::to_string((*recorder)->node(*graph)));
    if (codegen)
      if (auto done = generate_kernels(*graph, **recorder); !done) return tl::unexpected(done.error());
  }
  if (auto done = (*recorder)->finish(); !done) return tl::unexpected(done.error());
  return path;
}

}  // namespace rangescope::app
