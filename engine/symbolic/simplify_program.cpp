#include "engine/symbolic/simplify_program.h"

#include "engine/symbolic/make_store.h"

namespace rangescope::symbolic {

namespace {

// What `f` gives, or nothing where the graph refuses it.
template <class F>
auto where_defined(F f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const GraphError&) {
    return std::nullopt;
  }
}

std::optional<Bounds> bounds_of(UOp u) {
  return where_defined([&] { return u.bounds(); });
}

}  // namespace

void simplify_program(Program& program) {
  try {
    program.simplified = program.root.simplify();
  } catch (const GraphError& e) {
    program.error = e.message();
    return;
  }
  program.in_minmax = bounds_of(program.root);
  program.minmax = bounds_of(program.simplified);
  program.render =
      where_defined([&] { return std::pair(program.root.render(false), program.simplified.render(false)); });
}

Result<std::string> simplify_line(std::string_view line) {
  const auto store = make_store();
  Result<Program> program = read_program(line, *store, ReadWhat::Input);
  if (!program) return tl::unexpected(program.error());
  simplify_program(*program);
  return to_json(*program);
}

}  // namespace rangescope::symbolic
