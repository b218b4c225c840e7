#pragma once
// Code generation: the AST of one kernel becomes a list of ops in execution order (reference: codegen/__init__.py).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/codegen/kernel_axes.h"
#include "engine/codegen/target.h"
#include "engine/ir/error.h"
#include "engine/ir/uop.h"

namespace rangescope::codegen {

struct KernelProgram {
  std::string name;  // as the reference names it, with terminal colours: see plain_name
  UOp sink;          // the rewritten graph
  UOps linear;       // its ops in order, IF and ENDIF included

  // Launch. A symbolic size is an expression of `vars`. No local size: the target's global index alone is used.
  std::array<Dim, 3> global_size{1, 1, 1};
  std::optional<std::array<Dim, 3>> local_size;

  std::vector<int64_t> globals;  // slots of the buffers that the kernel takes, ascending
  std::vector<int64_t> outs;     // of those, the ones it stores to
  std::vector<int64_t> ins;      // and loads from
  UOps vars;                     // variables, by slot (PARAM in ALU space)
};

// The program of a kernel AST: a SINK with kernel info. The store is one of symbolic::make_store(). The passes are
// reported to its observer. Optimises where the AST's tag is none, as the reference does.
Result<KernelProgram> generate(UOp ast, const Target& target = {}, const Settings& settings = {});

// The axes that a search may choose optimisations for, as `generate` hands them to the optimiser. None: the AST brings
// its optimisations along, or none is possible.
Result<std::optional<KernelAxes>> searchable_axes(UOp ast, const Target& target);
// The AST with these optimisations to be applied, in place of the optimiser's choice.
UOp with_opts(UOp ast, std::vector<OptArg> opts);

// The name without terminal colours, as an identifier.
std::string plain_name(const std::string& name);
// The value of a size for these variables' values (in the order of `vars`).
Result<int64_t> size_for(const Dim& size, const UOps& vars, const std::vector<int64_t>& values);

}  // namespace rangescope::codegen
