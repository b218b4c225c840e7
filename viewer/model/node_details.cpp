#include "viewer/model/node_details.h"

#include <fmt/format.h>

#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "engine/trace/describe.h"
#include "viewer/model/node_label.h"

namespace rangescope::viewer {

namespace {

constexpr size_t kMostUsers = 64;
constexpr size_t kMostSources = 256;

NodeRef ref(UOp u) {
  std::string text(op_name(u.op()));
  if (u.dtype() != DType::void_) text += " " + std::string(dtype_name(u.dtype()));
  if (const std::string s = shapeText(u); s.size() > 2) text += " " + s;
  if (u.is_const() || u.is(Op::RANGE)) text += "  " + short_label(u, 32);
  return {u.id(), text};
}

std::string boundsText(UOp u) {
  if (u.dtype() == DType::void_ || is_float(u.dtype())) return {};
  try {
    const std::string lo = u.vmin().str(), hi = u.vmax().str();
    if (lo.size() > 40 || hi.size() > 40) return {};  // the whole of an unbounded dtype says nothing
    return lo == hi ? lo : lo + " to " + hi;
  } catch (const GraphError&) {
    return {};
  }
}

}  // namespace

Result<NodeDetails> nodeDetails(trace::Reader& reader, uint32_t key, UOp root) {
  Store& store = reader.store();
  if (key >= store.node_count()) return tl::unexpected(Error{"this node is no longer there."});
  const UOp u = store.at(key);
  NodeDetails d;
  d.key = key;
  d.number = reader.number_of(u);
  d.op = op_name(u.op());
  d.dtype = dtype_name(u.dtype());
  d.shape = shapeText(u);
  d.ranges = rangesText(u);
  if (const auto* stage = u.arg().get_if<StageArg>())
    d.arg = argText(u, 4000) + ", " + std::string(addrspace_name(stage->addrspace)) + " memory";
  else
    d.arg = u.arg().is_none() ? std::string() : trace::without_colors(to_string(u.arg()));
  d.tag = u.tag().is_none() ? std::string() : to_string(u.tag());
  d.bounds = boundsText(u);
  d.expression = short_label(u, 4000);
  try {
    d.device = to_string(u.device());
  } catch (const GraphError&) {
    d.device.clear();
  }
  for (size_t i = 0; i < u.src_count() && i < kMostSources; ++i) d.sources.push_back(ref(u.srcs()[i]));
  if (root)
    for (const UOp user : toposort(root)) {
      if (d.users.size() >= kMostUsers) break;
      for (const UOp s : user.srcs())
        if (s == u) {
          d.users.push_back(ref(user));
          break;
        }
    }
  if (d.number == 0) return d;
  if (const auto m = reader.metadata(d.number)) d.location = m->name + (m->location.empty() ? "" : "  " + m->location);
  const auto maker = reader.made_by(d.number);
  if (!maker) return tl::unexpected(maker.error());
  if (*maker == 0) return d;
  const auto match = reader.match(*maker);
  if (!match) return tl::unexpected(match.error());
  if (!*match) return d;
  d.madeBy = **match;
  if (const trace::RuleInfo* r = reader.rule(d.madeBy->rule)) d.madeByRule = r->name;
  if (const trace::Pass* p = reader.pass(d.madeBy->pass)) d.madeByPass = p->name;
  if (const auto i = reader.index_in_pass(*d.madeBy)) d.madeByIndex = *i + 1;
  return d;
}

}  // namespace rangescope::viewer
