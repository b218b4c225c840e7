#include "app/programs.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "app/console.h"
#include "app/exit_code.h"
#include "app/models/models.h"
#include "app/numbered_name.h"
#include "app/values.h"
#include "engine/eval/evaluate.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::app {

namespace {

// Counts the programs of a file by name, and says which ones the input names.
class Wanted {
 public:
  explicit Wanted(const Input& in) : text_(in.name), named_(split_number(text_)) {}
  // The place of the program among those of its name.
  size_t count(const std::string& name) { return seen_[name]++; }
  bool contains(const std::string& name, size_t ordinal) const {
    return text_.empty() || name == text_ || (named_.number == ordinal && name == named_.name);
  }
  bool is_one() const { return !text_.empty(); }

 private:
  const std::string& text_;
  NumberedName named_;
  std::map<std::string, size_t> seen_;
};

Result<void> only_programs(const Input& in) {
  if (in.inputs.empty() && in.dims.empty()) return {};
  return refuse(fmt::format("{}: --input and --dim are for ONNX models (.onnx)", in.path));
}

}  // namespace

StartValues start_of(const LoadedProgram& p) {
  StartValues start;
  for (const auto& [slot, bytes] : p.contents) start.contents[slot] = bytes;
  eval::Inputs inputs = eval::inputs_of(p.program.root);
  start.variables = std::move(inputs.variables);
  start.sharded = std::move(inputs.sharded);
  start.seed = p.seed;
  return start;
}

int for_each_program(const Input& in, const std::string& doing, const std::function<bool(LoadedProgram&)>& each) {
  if (is_onnx(in.path)) {
    auto p = loaded_onnx(in);
    if (!p) return failed(p.error());
    return each(*p) ? kOk : kFailed;
  }
  if (auto r = only_programs(in); !r) return failed(r.error());
  auto reader = ProgramReader::open(in.path);
  if (!reader) return failed(reader.error());
  Progress progress(doing);
  Wanted wanted(in);
  size_t done = 0, refused = 0;
  for (;;) {
    LoadedProgram p;
    const Result<bool> more = reader->next_line(p.line);
    if (!more) {
      print_error(more.error().message);
      ++refused;
      break;
    }
    if (!*more) break;
    p.store = symbolic::make_store();
    auto program = read_program(p.line, *p.store, ReadWhat::Input);
    if (!program) {
      print_error(reader->locate(program.error()).message);
      ++refused;
      continue;
    }
    p.ordinal = wanted.count(program->name);
    if (!wanted.contains(program->name, p.ordinal)) continue;
    p.program = std::move(*program);
    if (auto given = take_values(in.values, p); !given) return failed(given.error());
    progress.step(p.program.name);
    if (each(p))
      ++done;
    else
      ++refused;
  }
  if (done + refused == 0) {
    print_error(in.name.empty() ? in.path + " holds no programs."
                                : fmt::format("{} holds no program named {}.", in.path, in.name));
    return kFailed;
  }
  if (refused == 0) return kOk;
  return done > 0 ? kPartly : kFailed;
}

int write_each_program(const Input& in, const std::string& out_path, const std::string& doing,
                       const std::function<ProgramOutcome(LoadedProgram&)>& each) {
  std::optional<OutputFile> out;
  if (!out_path.empty()) {
    auto file = OutputFile::open(out_path);
    if (!file) return failed(file.error());
    out.emplace(std::move(*file));
  }
  Result<void> written;
  bool empty = true;
  const int code = for_each_program(in, doing, [&](LoadedProgram& p) {
    const ProgramOutcome outcome = each(p);
    if (out && written) written = out->write(outcome.line);
    empty = false;
    return outcome.well && written.has_value();
  });
  if (empty && code != kOk) return code;  // nothing came of it: what was in the file stays
  if (out && written) written = out->close();
  if (!written) return failed(written.error());
  return code;
}

Result<LoadedProgram> the_program(const Input& in) {
  if (is_onnx(in.path)) return loaded_onnx(in);
  if (auto r = only_programs(in); !r) return tl::unexpected(r.error());
  auto reader = ProgramReader::open(in.path);
  if (!reader) return tl::unexpected(reader.error());
  LoadedProgram found;
  Wanted wanted(in);
  std::vector<std::string> names;
  std::string line;
  for (;;) {
    const Result<bool> more = reader->next_line(line);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    auto store = symbolic::make_store();
    auto program = read_program(line, *store, ReadWhat::Input);
    if (!program) return tl::unexpected(reader->locate(program.error()));
    if (!wanted.contains(program->name, wanted.count(program->name))) continue;
    names.push_back(program->name);
    if (names.size() > 1) continue;
    found.store = std::move(store);
    found.program = std::move(*program);
    found.line = line;
    if (wanted.is_one()) break;
  }
  if (names.size() == 1)
    if (auto given = take_values(in.values, found); !given) return tl::unexpected(given.error());
  if (names.empty())
    return tl::unexpected(Error{in.name.empty() ? in.path + " holds no programs."
                                                : fmt::format("{} holds no program named {}.", in.path, in.name)});
  if (names.size() > 1) {
    std::string list;
    for (size_t i = 0; i < names.size() && i < 10; ++i) list += "\n  " + names[i];
    return tl::unexpected(Error{fmt::format("{} holds {} programs: choose one with --name.{}{}", in.path, names.size(),
                                            list, names.size() > 10 ? "\n  ..." : "")});
  }
  return found;
}

}  // namespace rangescope::app
