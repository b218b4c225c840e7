#include "engine/frontend/callify.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/frontend/context.h"
#include "engine/frontend/graph_copy.h"
#include "engine/frontend/tensor.h"
#include "engine/ir/call.h"
#include "engine/ir/dim.h"
#include "engine/ir/sharding.h"
#include "engine/ir/traversal.h"

namespace rangescope::frontend {

namespace {

// Nodes that stand for one value of the user's graph carry its number in the tag.
Arg::Tuple numbers_of(UOp u) {
  const auto* t = u.tag().get_if<Arg::Tuple>();
  return t != nullptr ? *t : Arg::Tuple{};
}

bool has_no_elements(UOp u) {
  const Shape& s = u.shape();
  return std::ranges::find(s, Dim(0)) != s.end();
}

class Callifier {
 public:
  explicit Callifier(Context& context) : context_(context), store_(context.store()) {}

  Called run(const UOps& roots) {
    find_bases(roots);
    UOp sink = store_.sink(roots);
    sink = rebuild(sink, [&](UOp old, UOp now) { return number(old, now); });
    sink = rebuild(sink, [&](UOp, UOp now) { return store_to_buffers(now); });
    rebuild(sink, [&](UOp, UOp now) { return finish(now); });
    Called out;
    out.root = with_parameters(store_.sink(assigns_), out.arguments);
    out.now_stored = std::move(stored_);
    return out;
  }

 private:
  // What is asked for and has no buffer yet (see Tensor.realize of the reference).
  void find_bases(const UOps& roots) {
    for (const UOp r : roots) {
      const UOp b = r.base();
      if (!b.is_virtual() && !b.has_buffer_identity() && !b.is(Op::AFTER) && b.addrspace() != AddrSpace::ALU)
        bases_.insert(b.id());
    }
  }

  // One walk, sources first.
  template <class Rule>
  UOp rebuild(UOp root, Rule rule) {
    Made made;
    for (const UOp u : toposort(root, false)) {
      const UOp now = rule(u, on_made_sources(u, made));  // the body of a call is not walked
      inherit_metadata(u, now);
      made[u.id()] = now;
    }
    return made.at(root.id());
  }

  // ** 1: every value that will have a buffer is numbered
  UOp number(UOp old, UOp now) {
    const bool from_host =
        old.is(Op::COPY) && !old.src(0).device().is_tuple && !old.src(0).device().is_none() &&
        (old.src(0).device().names[0].starts_with("PYTHON") || old.src(0).device().names[0].starts_with("NPY"));
    const bool is_assign = old.is(Op::AFTER) && !old.is_bound_var();
    if (!from_host && !old.is(Op::CONTIGUOUS) && !is_assign && !bases_.contains(old.id())) return now;
    UOp out = now.with_tag(Arg(Arg::Tuple{Arg(static_cast<int64_t>(numbered_.size()))}));
    numbered_.push_back(old);
    // a copy that is stored to a buffer needs none of its own
    if (out.is(Op::AFTER) && out.src_count() == 2 && out.src(1).is(Op::STORE) && out.src(1).src(1).is(Op::COPY) &&
        !numbers_of(out.src(1).src(1)).empty()) {
      const UOp copy = out.src(1).src(1);
      Arg::Tuple both = numbers_of(out);
      for (const Arg& n : numbers_of(copy)) both.push_back(n);
      const UOp plain = copy.with_tag(Arg(Arg::Tuple{}));
      inherit_metadata(copy, plain);
      out = out.with_srcs({out.src(0), out.src(1).with_srcs({out.src(1).src(0), plain})}).with_tag(Arg(both));
    }
    return out;
  }

  // ** 2: they are stored to buffers
  UOp empty_like(UOp u) { return context_.tensor(u).empty_like().uop(); }

  UOp store_to_buffers(UOp u) {
    if (u.in({Op::DETACH, Op::CONTIGUOUS_BACKWARD}))  // hints that have done their work
      return u.tag().is_none() ? u.src(0) : contiguous(u.src(0), u.tag());
    if (!u.in({Op::CONTIGUOUS, Op::AFTER, Op::STORE}) && !u.tag().is_none()) {
      const Arg tag = u.tag();
      u = u.with_tag(Arg::none());
      return tag.as_tuple().empty() ? u : contiguous(u, tag);
    }
    if (u.is(Op::CONTIGUOUS)) return u.is_virtual() ? u : contiguous(u.src(0), u.tag());
    if (u.is(Op::AFTER) && u.src_count() == 2 && u.src(1).is(Op::STORE) && u.src(1).src_count() == 2) {
      UOp to = u;
      while (to.in({Op::BITCAST, Op::AFTER, Op::UNSHARD})) to = to.src(0).base();
      if (!to.is(Op::BUFFER)) return contiguous(u.src(1).src(1), u.tag());
    }
    return u;
  }

  // The value in a buffer: the one that it was just written to, or a new one.
  UOp contiguous(UOp value, const Arg& tag) {
    if (value.is(Op::AFTER) && value.src(0).has_buffer_identity()) {
      Arg::Tuple both = numbers_of(value);
      if (const auto* more = tag.get_if<Arg::Tuple>()) both.insert(both.end(), more->begin(), more->end());
      return value.with_tag(Arg(both));
    }
    if (value.is_weak() || value.device().is_none()) return value;
    return stored(value, tag);
  }

  UOp stored(UOp value, const Arg& tag) {
    if (has_no_elements(value)) return value;
    const UOp buffer = empty_like(value);
    return buffer.after({buffer.store_value(value)}).with_tag(tag);
  }

  // ** 3: what is written, and where the numbered values are from now on
  UOp finish(UOp u) {
    if (!u.is(Op::AFTER) || u.is_bound_var()) return u;
    const Arg::Tuple numbers = numbers_of(u);
    u = u.with_tag(Arg::none());
    if (written_.insert(u.id()).second) assigns_.push_back(u);
    if (numbers.empty()) return u;
    UOps views;
    UOp at = u;
    while (at.in(groups::Movement | OpSet{Op::UNSHARD, Op::BITCAST, Op::AFTER})) {
      if (!at.is(Op::AFTER)) views.push_back(at);
      at = at.src(0);
    }
    for (size_t i = views.size(); i-- > 0;) {
      UOps srcs(views[i].srcs().begin(), views[i].srcs().end());
      srcs[0] = at;
      at = views[i].with_srcs(srcs);
    }
    for (const Arg& n : numbers) {
      const UOp original = numbered_[static_cast<size_t>(n.as_int64())];
      stored_.emplace_back(original, at.shrink_to(original.shape()));
    }
    return u;
  }

  // ** 4: buffers become parameters, numbered as they are met from the root down
  UOp with_parameters(UOp sink, UOps& arguments) {
    std::unordered_map<uint32_t, UOp> params;
    Marks seen(store_);
    UOps stack{sink};
    while (!stack.empty()) {
      const UOp u = stack.back();
      stack.pop_back();
      if (!seen.insert(u)) continue;
      if (is_argument(u)) {
        params[u.id()] = param_like(u, static_cast<int64_t>(arguments.size()));
        inherit_metadata(u, params[u.id()]);
        arguments.push_back(u);
        continue;
      }
      for (size_t i = u.src_count(); i-- > 0;) stack.push_back(u.src(i));
    }
    std::vector<std::pair<UOp, UOp>> replacements;
    for (const UOp a : arguments) replacements.emplace_back(a, params.at(a.id()));
    return substituted({&sink, 1}, replacements)[0];
  }

  static bool is_argument(UOp u) {
    if (u.is(Op::AFTER)) return u.is_bound_var();
    return u.is(Op::BUFFER) && u.arg().is<ParamArg>() && u.addrspace() == AddrSpace::GLOBAL;
  }

  Context& context_;
  Store& store_;
  std::unordered_set<uint32_t> bases_, written_;  // looked up, never iterated
  UOps numbered_, assigns_;
  std::vector<std::pair<UOp, UOp>> stored_;
};

}  // namespace

Called callify(Context& context, const UOps& roots) {
  return Callifier(context).run(roots);
}

}  // namespace rangescope::frontend
