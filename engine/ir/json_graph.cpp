// Node tables as JSON.

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/json.h"
#include "engine/ir/json_reader.h"
#include "engine/ir/store.h"
#include "engine/ir/traversal.h"

namespace rangescope {

namespace {

bool is_int_tuple(const Arg& a) {
  const auto* t = a.get_if<Arg::Tuple>();
  return t != nullptr && std::ranges::all_of(*t, [](const Arg& x) { return x.is_int(); });
}

bool is_device(const Arg& a) {
  if (a.is<std::string>()) return true;
  const auto* t = a.get_if<Arg::Tuple>();
  return t != nullptr && std::ranges::all_of(*t, [](const Arg& x) { return x.is<std::string>(); });
}

bool is_range_arg(const Arg& a) {
  const auto* t = a.get_if<Arg::Tuple>();
  return t != nullptr && t->size() >= 2 && t->back().is<AxisType>() &&
         std::all_of(t->begin(), t->end() - 1, [](const Arg& x) { return x.is_int(); });
}

// What the derived properties and the passes read from the argument of an op. The other ops take any.
struct ArgRule {
  OpSet ops;
  bool (*fits)(const Arg&);
  const char* expected;
};
constexpr ArgRule kArgRules[] = {
    {Op::CONST, [](const Arg& a) { return a.is<Scalar>(); }, "a bool, a number or the invalid value"},
    {Op::RANGE, is_range_arg, "[number, ..., {\"axis\": type}]"},
    {Op::SPECIAL, [](const Arg& a) { return a.is<std::string>(); }, "a name"},
    {{Op::PARAM, Op::BUFFER}, [](const Arg& a) { return a.is<ParamArg>(); }, "{\"param\": ...}"},
    {Op::STAGE, [](const Arg& a) { return a.is<StageArg>(); }, "{\"stage\": ...}"},
    {{Op::CAST, Op::BITCAST}, [](const Arg& a) { return a.is<DType>(); }, "{\"dtype\": ...}"},
    {{Op::CALL, Op::FUNCTION}, [](const Arg& a) { return a.is<CallInfo>(); }, "{\"call\": ...}"},
    {Op::SINK, [](const Arg& a) { return a.is_none() || a.is<KernelInfo>(); }, "null or {\"kernel\": ...}"},
    {Op::REDUCE,
     [](const Arg& a) {
       const auto* t = a.get_if<Arg::Tuple>();
       return t != nullptr && t->size() == 2 && (*t)[0].is<Op>() && (*t)[1].is_int();
     },
     "[{\"op\": ...}, number of axes]"},
    {Op::ALLREDUCE,
     [](const Arg& a) {
       const auto* t = a.get_if<Arg::Tuple>();
       return t != nullptr && t->size() == 2 && (*t)[0].is<Op>() && is_device((*t)[1]);
     },
     "[{\"op\": ...}, device]"},
    {Op::COPY, is_device, "a device's name or an array of names"},
    {{Op::PERMUTE, Op::UNSHARD}, is_int_tuple, "an array of axes"},
    {Op::FLIP,
     [](const Arg& a) {
       const auto* t = a.get_if<Arg::Tuple>();
       return t != nullptr && std::ranges::all_of(*t, [](const Arg& x) {
                const auto* v = x.get_if<Scalar>();
                return v != nullptr && v->is_bool();
              });
     },
     "an array of bools"},
    {{Op::GETTUPLE, Op::MSELECT}, [](const Arg& a) { return a.is_int(); }, "an index"},
    {Op::BINARY, [](const Arg& a) { return a.is<Bytes>(); }, "{\"bytes\": ...}"},
};

// How many sources at least. The derived properties and the passes reach for them without asking.
struct SourceRule {
  OpSet ops;
  size_t least;
};
constexpr SourceRule kSourceRules[] = {
    {groups::Unary | groups::Movement |
         OpSet{Op::CAST,    Op::BITCAST, Op::INDEX,    Op::LOAD,       Op::AFTER,
               Op::END,     Op::STAGE,   Op::REDUCE,   Op::ALLREDUCE,  Op::COPY,
               Op::MSELECT, Op::MSTACK,  Op::GETTUPLE, Op::CONTIGUOUS, Op::CONTIGUOUS_BACKWARD,
               Op::DETACH,  Op::CALL,    Op::FUNCTION, Op::RANGE,      Op::SPECIAL,
               Op::UNSHARD},
     1},
    {groups::Binary | Op::STORE, 2},
    {groups::Ternary | Op::WMMA, 3},
};

// Tags of code generation name dtypes: the word of a 64-bit integer that a node becomes, the float that bits stand for.
bool is_tag(const Arg& a) {
  if (a.is_none() || a.is<std::string>() || a.is<DType>()) return true;
  if (const auto* v = a.get_if<Scalar>()) return v->is_integral();
  const auto* t = a.get_if<Arg::Tuple>();
  return t != nullptr && std::ranges::all_of(*t, [](const Arg& e) { return e.is_int() || e.is<DType>(); });
}

// Reads one entry; `srcs` is scratch.
UOp read_node(JsonReader& in, Store& store, const UOps& nodes, UOps& srcs, const GraphLimits& limits) {
  Op op = Op::kNone;
  DType dtype = DType::void_;
  Arg arg, tag;
  size_t fields = 0;
  srcs.clear();
  in.array([&](size_t field) {
    fields = field + 1;
    switch (field) {
      case 0: {
        const std::string_view name = in.string();
        const std::optional<Op> o = op_from_name(name);
        if (!o) in.refuse(fmt::format("unknown op '{}'", name));
        op = *o;
        break;
      }
      case 1: {
        const std::string_view name = in.string();
        const std::optional<DType> d = dtype_from_name(name);
        if (!d) in.refuse(fmt::format("unknown dtype '{}'", name));
        dtype = *d;
        break;
      }
      case 2:
        in.array([&](size_t i) {
          if (i >= limits.sources) in.refuse(fmt::format("more than {} sources", limits.sources));
          if (nodes.empty()) in.refuse("the first node has sources: sources come before their users");
          const int64_t source = in.integer(0, INT64_MAX);
          if (static_cast<uint64_t>(source) >= nodes.size())
            in.refuse(fmt::format("source {} does not come before its user, node {}", source, nodes.size()));
          srcs.push_back(nodes[static_cast<size_t>(source)]);
        });
        break;
      case 3:
        arg = read_arg(in);
        break;
      case 4:
        tag = read_arg(in);
        break;
      default:
        in.refuse("a node has five fields, [op, dtype, sources, arg, tag], this one has more");
    }
  });
  if (fields != 5)
    in.refuse(fmt::format("a node has five fields, [op, dtype, sources, arg, tag], this one has {}", fields));
  for (const ArgRule& rule : kArgRules)
    if (rule.ops.contains(op) && !rule.fits(arg))
      in.refuse(fmt::format("{} needs {} as its argument, not {:.60}", op_name(op), rule.expected, to_json(arg)));
  for (const SourceRule& rule : kSourceRules)
    if (rule.ops.contains(op) && srcs.size() < rule.least)
      in.refuse(fmt::format("{} needs {} source{}, this one has {}", op_name(op), rule.least, rule.least > 1 ? "s" : "",
                            srcs.size()));
  if (!is_tag(tag))
    in.refuse("a tag is null, a bool, an integer, a string, a dtype or an array of integers and dtypes");
  return store.make(op, dtype, std::span<const UOp>(srcs), arg, tag);
}

}  // namespace

UOps read_nodes(JsonReader& in, Store& store, size_t count, const GraphLimits& limits) {
  UOps nodes, srcs;
  in.array([&](size_t i) {
    if (i >= count) {
      in.skip();
      return;
    }
    if (i >= limits.nodes) in.refuse(fmt::format("more than {} nodes", limits.nodes));
    try {
      nodes.push_back(read_node(in, store, nodes, srcs, limits));
    } catch (const GraphError& e) {
      throw GraphError(fmt::format("node {}: {}", i, e.message()));
    }
  });
  return nodes;
}

Result<UOps> read_nodes(std::string_view json, Store& store, size_t count, const GraphLimits& limits) {
  try {
    JsonReader in(json);
    UOps nodes = read_nodes(in, store, count, limits);
    in.finish();
    return nodes;
  } catch (const GraphError& e) {
    return tl::unexpected(Error{"the node table cannot be read: " + e.message()});
  }
}

uint32_t NodeTable::add(UOp root) {
  RS_CHECK(nodes_.empty() || &nodes_.front().store() == &root.store(), "a node table holds nodes of one store");
  // What is in the table has all its sources there too.
  for (const UOp u : toposort(root, [this](UOp n) { return !find(n); })) {
    if (u.id() >= index_.size()) index_.resize(std::max<size_t>(u.store().node_count(), u.id() + 1), kAbsent);
    index_[u.id()] = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(u);
  }
  return index_[root.id()];
}

std::optional<uint32_t> NodeTable::find(UOp u) const {
  if (u.id() >= index_.size() || index_[u.id()] == kAbsent) return std::nullopt;
  return index_[u.id()];
}

void NodeTable::append_json(std::string& out) const {
  out += '[';
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const UOp u = nodes_[i];
    if (i > 0) out += ',';
    fmt::format_to(std::back_inserter(out), R"(["{}","{}",[)", op_name(u.op()), dtype_name(u.dtype()));
    for (size_t k = 0; k < u.src_count(); ++k) {
      if (k > 0) out += ',';
      fmt::format_to(std::back_inserter(out), "{}", index_[u.srcs()[k].id()]);
    }
    out += "],";
    rangescope::append_json(out, u.arg());
    out += ',';
    rangescope::append_json(out, u.tag());
    out += ']';
  }
  out += ']';
}

}  // namespace rangescope
