#include "engine/codegen/program_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"

namespace rangescope::codegen {

namespace {

// The buffer that a load or store reaches, null where it is none of the kernel's parameters.
UOp accessed_param(UOp access) {
  UOp at = access.src(0);
  if (at.is(Op::CAST) && at.src(0).is(Op::INDEX)) at = at.src(0);
  if (!at.in(OpSet{Op::INDEX, Op::SHRINK})) return {};
  const UOp buf = at.src(0).buf_uop();
  return buf.is(Op::PARAM) ? buf : UOp{};
}

int64_t slot_of(UOp param) {
  return param.arg().as<ParamArg>().slot;
}

}  // namespace

KernelProgram program_from_sink(UOp sink) {
  KernelProgram p;
  p.sink = sink;
  p.name = "test";
  if (const auto* info = sink.arg().get_if<KernelInfo>()) p.name = info->name;
  p.local_size = std::array<Dim, 3>{1, 1, 1};
  std::set<int64_t> globals, outs, ins;
  for (const UOp u : toposort(sink)) {
    if (u.is(Op::PARAM)) {
      if (u.addrspace() == AddrSpace::ALU)
        p.vars.push_back(u);
      else
        globals.insert(slot_of(u));
    }
    if (u.in(OpSet{Op::STORE, Op::LOAD}))
      if (const UOp buf = accessed_param(u)) (u.is(Op::STORE) ? outs : ins).insert(slot_of(buf));
    if (u.is(Op::SPECIAL)) {
      const auto& name = u.arg().as<std::string>();
      if (name.empty() || name.back() < '0' || name.back() > '2') throw GraphError("no launch dimension: " + name);
      if (name[0] == 'i') p.local_size.reset();
      const auto axis = static_cast<size_t>(name.back() - '0');
      if (name[0] != 'l')
        p.global_size.at(axis) = u.src(0).ssimplify();
      else if (p.local_size)
        p.local_size->at(axis) = u.src(0).ssimplify();
    }
  }
  std::ranges::stable_sort(p.vars, {}, slot_of);
  p.globals.assign(globals.begin(), globals.end());
  p.outs.assign(outs.begin(), outs.end());
  p.ins.assign(ins.begin(), ins.end());
  return p;
}

std::string plain_name(const std::string& name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '\x1b') {  // a colour: up to its m
      while (i < name.size() && name[i] != 'm') ++i;
      continue;
    }
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (fits)
      out += c;
    else
      out += fmt::format("{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

Result<int64_t> size_for(const Dim& size, const UOps& vars, const std::vector<int64_t>& values) {
  if (size.is_int()) return size.value;
  if (vars.size() != values.size())
    return tl::unexpected(
        Error{fmt::format("the kernel has {} variables, {} values are given", vars.size(), values.size())});
  try {
    NodeMap map;
    for (size_t i = 0; i < vars.size(); ++i) {
      map.set(vars[i], vars[i].const_like(Scalar(values[i])));
      // sizes were written before variables got their places
      ParamArg p = vars[i].arg().as<ParamArg>();
      p.slot = -1;
      map.set(vars[i].with_arg(Arg(p)), vars[i].const_like(Scalar(values[i])));
    }
    const Dim d = substitute(size.sym, map).ssimplify();
    if (d.is_int()) return d.value;
    return tl::unexpected(
        Error{fmt::format("the launch size {} depends on more than the kernel's variables", to_string(d))});
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

}  // namespace rangescope::codegen
