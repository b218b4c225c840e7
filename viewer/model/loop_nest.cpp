#include "viewer/model/loop_nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "viewer/model/node_label.h"

namespace rangescope::viewer {

namespace {

constexpr size_t kMostChars = 120;
constexpr int kMostDepth = 10;  // of an expression, and of reductions in each other
constexpr OpSet kPlaces{Op::STAGE, Op::BUFFER, Op::PARAM, Op::AFTER, Op::MSELECT, Op::MSTACK, Op::COPY};

std::string_view infix(Op op) {
  switch (op) {
    case Op::ADD:
      return " + ";
    case Op::MUL:
      return " * ";
    case Op::FDIV:
      return " / ";
    case Op::CMPLT:
      return " < ";
    case Op::CMPNE:
      return " != ";
    case Op::CMPEQ:
      return " == ";
    case Op::AND:
      return " & ";
    case Op::OR:
      return " | ";
    case Op::XOR:
      return " ^ ";
    default:
      return {};
  }
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

class Writer {
 public:
  explicit Writer(size_t most) : most_(most) {}

  void graph(UOp root) {
    for (const UOp u : toposort(root, false)) {
      out_.ranges = out_.ranges || u.is(Op::RANGE);
      if (full()) break;
      if (u.is(Op::STAGE) && u.src_count() > 0) {
        std::vector<UOp> ranges;
        std::string index;
        for (const UOp r : u.srcs().subspan(1)) {
          index += (index.empty() ? "" : ", ") + (r.is(Op::RANGE) ? rangeName(r) : short_label(r, 16));
          if (r.is(Op::RANGE)) ranges.push_back(r);
        }
        statement(u, ranges, fmt::format("{}[{}] = ", place(u), index), u.src(0));
      } else if (u.is(Op::STORE) && u.src_count() > 1) {
        std::vector<UOp> ranges(u.ranges().begin(), u.ranges().end());
        statement(u, ranges, expression(u.src(0)) + " = ", u.src(1));
      } else if (u.is(Op::CALL) && u.src_count() > 0 && bodies_.insert(u.src(0).id()).second) {
        const auto* info = u.src(0).arg().get_if<KernelInfo>();
        // before code generation all kernels have the one name
        add(0,
            info == nullptr        ? lower(op_name(u.src(0).op())) + ":"
            : info->name == "test" ? fmt::format("kernel {}:", bodies_.size())
                                   : "kernel " + info->name + ":",
            {u});
        ++indent_;
        graph(u.src(0));
        --indent_;
      }
    }
  }

  LoopNest take() { return std::move(out_); }

 private:
  bool full() {
    out_.cut = out_.cut || out_.lines.size() >= most_;
    return out_.cut;
  }

  void add(int indent, std::string text, const std::vector<UOp>& about) {
    if (full()) return;
    LoopLine l{indent_ + indent, std::move(text), {}};
    for (const UOp u : about)
      if (std::ranges::find(l.keys, u.id()) == l.keys.end()) l.keys.push_back(u.id());
    out_.lines.push_back(std::move(l));
  }

  int loops(int indent, const std::vector<UOp>& ranges) {
    for (const UOp r : ranges) {
      const AxisType* axis = axisOf(r);
      const bool plain = axis == nullptr || *axis == AxisType::WEAK || *axis == AxisType::LOOP;
      add(indent++,
          fmt::format("for {} in 0..{}:{}", rangeName(r), r.src_count() > 0 ? short_label(r.src(0), 20) : "?",
                      plain ? std::string() : "   # " + lower(axis_name(*axis))),
          {r});
    }
    return indent;
  }

  void statement(UOp about, const std::vector<UOp>& ranges, const std::string& left, UOp value) {
    const int indent = loops(0, ranges);
    reductions(value, indent, 0);
    used_.clear();
    std::string right = expression(value);
    std::vector<UOp> nodes{about};
    nodes.insert(nodes.end(), used_.begin(), used_.end());
    add(indent, left + right, nodes);
  }

  // Nodes that the value is computed from, without going through a place in memory; sources first.
  static UOps region(UOp value) {
    std::unordered_set<uint32_t> seen;
    UOps order;
    std::vector<std::pair<UOp, bool>> stack{{value, false}};
    while (!stack.empty()) {
      const auto [u, visited] = stack.back();
      stack.pop_back();
      if (visited) {
        order.push_back(u);
        continue;
      }
      if (!seen.insert(u.id()).second || u.in(kPlaces) || u.is(Op::RANGE)) continue;
      stack.emplace_back(u, true);
      for (size_t i = u.src_count(); i-- > 0;) stack.emplace_back(u.srcs()[i], false);
    }
    return order;
  }

  void reductions(UOp value, int indent, int depth) {
    if (depth > kMostDepth) return;
    for (const UOp u : region(value))
      if (u.is(Op::REDUCE) && !number_.contains(u.id())) reduction(u, indent, depth);
  }

  void reduction(UOp r, int indent, int depth) {
    std::vector<UOp> ranges;
    for (const UOp s : r.srcs().subspan(r.src_count() > 0 ? 1 : 0))
      if (s.is(Op::RANGE)) ranges.push_back(s);
    // those inside that do not run with it come first; the others in its loops
    std::vector<UOp> inner;
    for (const UOp u : region(r.src(0)))
      if (u.is(Op::REDUCE) && !number_.contains(u.id())) {
        if (std::ranges::any_of(ranges, [&](UOp x) { return u.has_range(x); }))
          inner.push_back(u);
        else if (depth < kMostDepth)
          reduction(u, indent, depth + 1);
      }
    const std::string name = fmt::format("acc{}", number_.size() + 1);
    const int in = loops(indent, ranges);
    for (const UOp u : inner)
      if (!number_.contains(u.id()) && depth < kMostDepth) reduction(u, in, depth + 1);
    used_.clear();
    const std::string right = expression(r.src(0));
    number_.emplace(r.id(), name);
    const auto* arg = r.arg().get_if<Arg::Tuple>();
    const auto* op = arg == nullptr || arg->empty() ? nullptr : (*arg)[0].get_if<Op>();
    const std::string how = op == nullptr || *op == Op::ADD ? " += "
                            : *op == Op::MUL                ? " *= "
                                                            : fmt::format(" = {} with ", lower(op_name(*op)));
    std::vector<UOp> nodes{r};
    nodes.insert(nodes.end(), used_.begin(), used_.end());
    add(in, name + how + right, nodes);
  }

  std::string place(UOp u) {
    while (u.is(Op::AFTER) && u.src_count() > 0) u = u.src(0);
    if (const auto* p = u.arg().get_if<ParamArg>())
      return p->name ? *p->name : fmt::format("{}{}", u.is(Op::BUFFER) ? "buf" : "p", p->slot);
    return fmt::format("{}{}", lower(op_name(u.op())),
                       placeNumber_.try_emplace(u.id(), placeNumber_.size() + 1).first->second);
  }

  std::string expression(UOp u) { return bounded(u, 0); }

  // Bounded in depth and length, so that recursion is.
  std::string bounded(UOp u, int depth) {
    if (used_.size() < 64) used_.push_back(u);
    if (const auto it = number_.find(u.id()); it != number_.end()) return it->second;
    if (u.is(Op::RANGE)) return rangeName(u);
    if (u.is_const()) return short_label(u, 16);
    if (u.in(kPlaces)) return place(u);
    if (depth >= kMostDepth || u.src_count() == 0) return u.src_count() == 0 ? short_label(u, 24) : "...";
    if (u.is(Op::INDEX)) {
      std::string s = bounded(u.src(0), depth + 1) + "[";
      for (size_t i = 1; i < u.src_count(); ++i) s += (i > 1 ? ", " : "") + cut(bounded(u.src(i), depth + 1));
      return cut(s + "]");
    }
    if (u.is(Op::LOAD) || u.is(Op::CONTIGUOUS) || u.is(Op::DETACH)) return bounded(u.src(0), depth + 1);
    if (const auto op = infix(u.op()); !op.empty() && u.src_count() == 2)
      return cut("(" + bounded(u.src(0), depth + 1) + std::string(op) + bounded(u.src(1), depth + 1) + ")");
    if (u.is(Op::CAST)) return cut(fmt::format("{}({})", dtype_name(u.dtype()), bounded(u.src(0), depth + 1)));
    if (u.is(Op::WHERE) && u.src_count() == 3)
      return cut("(" + bounded(u.src(0), depth + 1) + " ? " + bounded(u.src(1), depth + 1) + " : " +
                 bounded(u.src(2), depth + 1) + ")");
    std::string s = lower(op_name(u.op())) + "(";
    const size_t n = u.in(groups::Movement) ? 1 : u.src_count();
    for (size_t i = 0; i < n && s.size() < kMostChars; ++i) s += (i > 0 ? ", " : "") + bounded(u.src(i), depth + 1);
    return cut(s + ")");
  }

  static std::string cut(std::string s) { return shortened(std::move(s), kMostChars); }

  size_t most_;
  int indent_ = 0;
  LoopNest out_;
  std::unordered_map<uint32_t, std::string> number_;
  std::unordered_map<uint32_t, size_t> placeNumber_;
  std::unordered_set<uint32_t> bodies_;
  std::vector<UOp> used_;
};

}  // namespace

LoopNest loopNest(UOp root, size_t mostLines) {
  Writer writer(mostLines);
  try {
    writer.graph(root);
  } catch (const GraphError&) {
    // between two matches a graph may be inconsistent: what was found so far is shown
  }
  return writer.take();
}

}  // namespace rangescope::viewer
