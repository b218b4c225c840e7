#include "engine/frontend/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/eval/bytes.h"
#include "engine/eval/evaluate.h"
#include "engine/frontend/callify.h"
#include "engine/frontend/graph_copy.h"
#include "engine/ir/call.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::frontend {

namespace {

constexpr size_t kNoArgument = ~size_t{0};

int64_t devices_of(UOp u) {
  return u.device().is_tuple ? static_cast<int64_t>(u.device().names.size()) : 1;
}

size_t bytes_of(const Argument& a) {
  return static_cast<size_t>(a.count * a.devices) * static_cast<size_t>(itemsize(a.dtype));
}

// The tensor as one whole buffer on one device, that nothing else is.
Tensor as_result(const Tensor& t) {
  Tensor x = is_weak(t.dtype()) ? t.cast(strong_dtype(t.dtype())) : t;
  if (x.device().is_tuple) return x.clone(Device::single(x.device().names[0]));
  if (x.device().is_none()) return x.clone(x.context().default_device());
  return x.uop().has_buffer_identity() ? x.clone() : x.contiguous();
}

// The buffer under the views that hold all of it.
UOp whole_buffer(UOp u) {
  while (u.in({Op::RESHAPE, Op::AFTER})) u = u.src(0);
  return u.is(Op::BUFFER) ? u : UOp();
}

Program program_of(Context& context, const Called& called) {
  Program p;
  p.context = context.shared_from_this();
  p.store = symbolic::make_store();
  p.root = copied_to(called.root, *p.store);
  p.flags = context.flags;
  for (size_t slot = 0; slot < called.arguments.size(); ++slot) {
    const UOp u = called.arguments[slot];
    Argument a;
    a.buffer = u;
    a.dtype = u.dtype();
    if (u.is_bound_var()) {
      const auto value = unbind(u).second.to_int().to_int64();
      p.variables[fmt::format("p{}", slot)] = value.value_or(0);
      a.count = 0;
    } else {
      a.count = u.max_numel();
      a.devices = devices_of(u);
      if (const auto* d = context.data(u)) a.data = *d;
      if (const std::string* name = context.input_name(u)) a.name = *name;
    }
    p.arguments.push_back(std::move(a));
  }
  return p;
}

size_t argument_of(const Program& p, UOp buffer) {
  for (size_t i = 0; i < p.arguments.size(); ++i)
    if (p.arguments[i].buffer == buffer) return i;
  return kNoArgument;
}

UOp stored_at(const Called& called, UOp node) {
  for (const auto& [from, to] : called.now_stored)
    if (from == node) return to;
  return {};
}

Contents contents_of(const Program& p) {
  Contents out;
  for (const Argument& a : p.arguments) {
    if (a.data)
      out.push_back(*a.data);
    else
      out.emplace_back(bytes_of(a));
    RS_CHECK(out.back().size() == bytes_of(a), "a buffer's data has the buffer's size");
  }
  return out;
}

}  // namespace

Result<Program> make_program(Context& context, const std::vector<std::pair<std::string, Tensor>>& outputs) {
  return attempt([&] {
    const Scope scope(context, "output");
    std::vector<Tensor> results;
    UOps roots;
    for (const auto& [name, t] : outputs) {
      if (&t.context() != &context) throw GraphError("output \"" + name + "\" belongs to another session");
      t.sizes();
      results.push_back(as_result(t));
      roots.push_back(results.back().uop());
    }
    const Called called = callify(context, roots);
    Program p = program_of(context, called);
    for (size_t i = 0; i < outputs.size(); ++i) {
      Output o{outputs[i].first, kNoArgument, results[i].dtype(), results[i].sizes()};
      if (results[i].numel() > 0) {
        const UOp at = stored_at(called, roots[i]);
        const UOp buffer = at ? whole_buffer(at) : UOp();
        o.argument = buffer ? argument_of(p, buffer) : kNoArgument;
        if (o.argument == kNoArgument) throw GraphError("output \"" + o.name + "\" has no buffer of its own");
      }
      p.outputs.push_back(std::move(o));
    }
    return p;
  });
}

Result<void> Evaluator::run(const Program& program, Contents& contents) {
  return attempt([&] {
    if (program.root.src_count() == 0) return;
    eval::Inputs inputs = eval::inputs_of(program.root);
    inputs.variables = program.variables;
    inputs.limits.work = work_;
    inputs.limits.elements = int64_t{1} << 28;
    for (size_t slot = 0; slot < contents.size(); ++slot) {
      const Argument& a = program.arguments[slot];
      inputs.contents[static_cast<int64_t>(slot)] = eval::array_of(a.dtype, contents[slot]);
    }
    const auto outcome = eval::evaluate(program.root, inputs);
    if (!outcome) throw GraphError(outcome.error().message);
    for (const eval::BufferResult& r : outcome->buffers) {
      if (r.slot < 0 || static_cast<size_t>(r.slot) >= contents.size() || !r.changed()) continue;
      eval::write_bytes(*r.after, r.dtype, contents[static_cast<size_t>(r.slot)]);
    }
  });
}

Result<std::vector<HostArray>> run(const Program& program, const std::map<std::string, HostArray>& inputs,
                                   Runner& runner) {
  Contents contents = contents_of(program);
  std::map<std::string, bool> used;
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const Argument& a = program.arguments[i];
    if (a.name.empty()) continue;
    const auto given = inputs.find(a.name);
    if (given == inputs.end()) return refuse(fmt::format("input \"{}\" is not given", a.name));
    if (given->second.dtype != a.dtype)
      return refuse(
          fmt::format("input \"{}\" is {}, {} is given", a.name, dtype_name(a.dtype), dtype_name(given->second.dtype)));
    if (given->second.bytes->size() != contents[i].size())
      return refuse(fmt::format("input \"{}\" has {} elements, {} are given", a.name, a.count, given->second.count()));
    contents[i] = *given->second.bytes;
  }
  if (auto done = runner.run(program, contents); !done) return tl::unexpected(done.error());
  return attempt([&] {
    std::vector<HostArray> out;
    for (const Output& o : program.outputs)
      out.push_back(o.argument == kNoArgument ? HostArray::from_bytes(o.dtype, o.shape, {})
                                              : HostArray::from_bytes(o.dtype, o.shape, contents[o.argument]));
    return out;
  });
}

Result<void> realize(Context& context, const std::vector<Tensor>& tensors, Runner& runner) {
  return attempt([&] {
    const Scope scope(context, "realize");
    UOps roots;
    for (const Tensor& t : tensors)
      if (!t.uop().is_virtual() && !t.uop().has_buffer_identity()) roots.push_back(t.uop());
    if (roots.empty()) return;
    const Called called = callify(context, roots);
    const Program p = program_of(context, called);
    for (const Argument& a : p.arguments)
      if (!a.name.empty() && !a.data)
        throw GraphError("the value depends on the input \"" + a.name + "\", which has none");
    Contents contents = contents_of(p);
    if (auto done = runner.run(p, contents); !done) throw GraphError(done.error().message);
    for (size_t i = 0; i < contents.size(); ++i)
      if (p.arguments[i].buffer.is(Op::BUFFER))
        context.set_data(p.arguments[i].buffer, std::make_shared<const std::vector<std::byte>>(std::move(contents[i])));
    context.replace_in_tensors(called.now_stored);
  });
}

Result<HostArray> read(const Tensor& tensor, Runner& runner) {
  Context& context = tensor.context();
  return attempt([&] {
    tensor.sizes();
    const auto values_of = [&](const Tensor& t) -> std::optional<HostArray> {
      if (t.numel() == 0) return HostArray::from_bytes(t.dtype(), t.sizes(), {});
      if (t.device().is_tuple) return std::nullopt;
      const UOp buffer = whole_buffer(t.uop());
      const Context::Data* data = buffer ? context.data(buffer) : nullptr;
      if (data == nullptr) return std::nullopt;
      return HostArray{t.dtype(), t.sizes(), *data};
    };
    const auto compute = [&](const Tensor& t) {
      if (auto done = realize(context, {t}, runner); !done) throw GraphError(done.error().message);
    };
    if (!tensor.uop().is_virtual()) compute(tensor);
    if (tensor.uop().has_buffer_identity())
      if (auto known = values_of(tensor)) return *known;
    Tensor whole = as_result(tensor);
    compute(whole);
    auto known = values_of(whole);
    if (!known) throw GraphError("the tensor has no values");
    return *known;
  });
}

Result<HostArray> evaluate(const Tensor& tensor) {
  auto program = make_program(tensor.context(), {{"value", tensor}});
  if (!program) return tl::unexpected(program.error());
  Evaluator evaluator;
  auto values = run(*program, {}, evaluator);
  if (!values) return tl::unexpected(values.error());
  return std::move(values->at(0));
}

}  // namespace rangescope::frontend
