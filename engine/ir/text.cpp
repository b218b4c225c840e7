#include "engine/ir/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/postorder.h"
#include "engine/ir/store.h"
#include "engine/ir/text_form.h"
#include "engine/ir/traversal.h"

namespace rangescope {

namespace text {

std::string lower_name(Op op) {
  std::string r(op_name(op));
  std::ranges::transform(r, r.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return r;
}

}  // namespace text

namespace {

[[noreturn]] void too_long(UOp u, size_t max_chars) {
  throw GraphError(
      fmt::format("the text of {} (node {}) is longer than {} characters", op_name(u.op()), u.id(), max_chars));
}

// What must be known of a text to put it together with others and to tell whether its outer parentheses are a pair:
// depths count '(' less ')' after each character.
struct Profile {
  size_t length = 0;
  int64_t depth = 0;                // after the last character
  int64_t least_inner = INT64_MAX;  // over the prefixes that are neither empty nor the whole
  bool opens = false, closes = false;

  bool has_outer_pair() const { return length >= 2 && opens && closes && depth == 0 && least_inner >= 1; }
  void append(const Profile& b) {
    if (b.length == 0) return;
    if (length == 0) {
      *this = b;
      return;
    }
    least_inner = std::min({least_inner, depth, b.least_inner == INT64_MAX ? INT64_MAX : depth + b.least_inner});
    length += b.length;
    depth += b.depth;
    closes = b.closes;
  }
  void append(std::string_view text) {
    for (const char c : text) append(Profile{1, c == '(' ? 1 : c == ')' ? -1 : 0, INT64_MAX, c == '(', c == ')'});
  }
  // Without the outer pair. Stripped texts stand between others, so that which characters are at their ends is no
  // matter; their depths are never negative.
  Profile stripped() const { return {length - 2, 0, length > 3 ? 0 : INT64_MAX, false, false}; }
};

class Renderer {
 public:
  Renderer(UOp root, size_t max_chars) : root_(root), max_chars_(max_chars), below_(root.store()) {}

  std::string run() {
    // Every node below root has a text in the reference, but only some go into the text of root.
    for (const UOp u : toposort(root_)) below_.insert(u);
    measure();
    return write();
  }

 private:
  struct Piece {
    enum class Kind : uint8_t { Text, Node, SkipNext, DropLast } kind;
    bool strip = false;
    UOp node = {};
    std::string text = {};
  };
  struct ChildCollector {
    UOps& out;
    void text(std::string_view) {}
    void child(UOp u, bool) { out.push_back(u); }
    static bool has_room() { return true; }
  };
  struct Measurer {
    const Renderer& r;
    Profile profile;
    void text(std::string_view t) { profile.append(t); }
    void child(UOp u, bool strip) {
      const Profile& p = r.profiles_.at(u.id());
      profile.append(strip && p.has_outer_pair() ? p.stripped() : p);
    }
    static bool has_room() { return true; }
  };
  struct PieceCollector {
    std::vector<Piece>& out;
    void text(std::string_view t) { out.push_back({.kind = Piece::Kind::Text, .text = std::string(t)}); }
    void child(UOp u, bool strip) { out.push_back({.kind = Piece::Kind::Node, .strip = strip, .node = u}); }
    static bool has_room() { return true; }
  };

  template <class Sink>
  void form(UOp u, Sink& sink) {
    if (text::formula(u, sink)) return;
    if (groups::Movement.contains(u.op())) {
      sink.child(u.src(0), false);
      sink.text("." + text::lower_name(u.op()) + "(");
      movement_argument(u, sink);
      sink.text(")");
      return;
    }
    if (u.is(Op::INDEX) || u.is(Op::STAGE)) {
      for (size_t i = 1; i < u.src_count(); ++i) {
        sink.text("[");
        sink.child(u.src(i), true);
        sink.text("]");
      }
      return;
    }
    auto [it, is_new] = printed_.try_emplace(u.id());
    if (is_new) it->second = pretty_print(u, max_chars_);
    sink.text(it->second);
  }

  template <class Sink>
  void dim(const Dim& d, Sink& sink) {
    if (d.is_int())
      sink.text(std::to_string(d.value));
    else
      sink.child(below_.contains(d.sym) ? d.sym : d.sym.simplify(), false);  // dimensions are simplified: may be new
  }
  template <class Sink>
  void movement_argument(UOp u, Sink& sink) {
    if (u.is(Op::PERMUTE)) {
      sink.text(to_string(u.arg()));
      return;
    }
    if (u.is(Op::FLIP)) {
      Arg::Tuple axes;
      const std::vector<bool> flip = u.marg_flip();
      for (size_t i = 0; i < flip.size(); ++i)
        if (flip[i]) axes.emplace_back(static_cast<int64_t>(i));
      sink.text(to_string(Arg(std::move(axes))));
      return;
    }
    sink.text("(");
    size_t count = 0;
    if (u.is(Op::RESHAPE) || u.is(Op::EXPAND)) {
      for (const Dim& d : u.marg_shape()) {
        if (count++ > 0) sink.text(",");
        dim(d, sink);
      }
    } else {
      for (const auto& [a, b] : u.marg_pairs()) {
        if (count++ > 0) sink.text(",");
        sink.text("(");
        dim(a, sink);
        sink.text(", ");
        dim(b, sink);
        sink.text(")");
      }
    }
    sink.text(count == 1 ? ",)" : ")");
  }

  void measure() {
    UOps children;
    compute_postorder(
        root_, [&](UOp u) { return profiles_.contains(u.id()); },
        [&](UOp u) {
          children.clear();
          ChildCollector c{children};
          form(u, c);
          return std::span<const UOp>(children);
        },
        [&](UOp u) {
          Measurer m{*this, {}};
          form(u, m);
          if (m.profile.length > max_chars_) too_long(root_, max_chars_);
          profiles_.emplace(u.id(), m.profile);
        });
  }

  std::string write() {
    std::string out;
    out.reserve(profiles_.at(root_.id()).length + 1);
    bool skip = false;
    std::vector<Piece> stack{{.kind = Piece::Kind::Node, .node = root_}}, pieces;
    while (!stack.empty()) {
      const Piece top = std::move(stack.back());
      stack.pop_back();
      switch (top.kind) {
        case Piece::Kind::Text: {
          std::string_view t = top.text;
          if (skip && !t.empty()) {
            t.remove_prefix(1);
            skip = false;
          }
          out += t;
          break;
        }
        case Piece::Kind::SkipNext:
          skip = true;
          break;
        case Piece::Kind::DropLast:
          out.pop_back();
          break;
        case Piece::Kind::Node: {
          const bool strip = top.strip && profiles_.at(top.node.id()).has_outer_pair();
          pieces.clear();
          PieceCollector c{pieces};
          form(top.node, c);
          if (strip) stack.push_back({.kind = Piece::Kind::DropLast});
          std::ranges::move(pieces.rbegin(), pieces.rend(), std::back_inserter(stack));
          if (strip) stack.push_back({.kind = Piece::Kind::SkipNext});
        }
      }
    }
    return out;
  }

  UOp root_;
  size_t max_chars_;
  Marks below_;
  std::unordered_map<uint32_t, Profile> profiles_;
  std::unordered_map<uint32_t, std::string> printed_;
};

// repr of a node's own argument: the reference keeps the floats of constants in a class of their own.
std::string argument_text(UOp u) {
  if (u.is(Op::REDUCE)) {
    std::string r;
    for (const Arg& a : u.arg().as_tuple()) r += (r.empty() ? "" : ", ") + to_string(a);
    return "(" + r + ")";
  }
  const auto* v = u.arg().get_if<Scalar>();
  return u.is_const() && v != nullptr && v->is_float() ? "ConstFloat(" + v->str() + ")" : to_string(u.arg());
}

}  // namespace

std::string pretty_print(UOp root, size_t max_chars) {
  struct Use {
    size_t number = 0, count = 0;
    bool printed = false;
  };
  std::unordered_map<uint32_t, Use> uses;
  std::vector<std::pair<UOp, size_t>> path{{root, 0}};
  while (!path.empty()) {
    auto& [u, next] = path.back();
    if (next == u.src_count()) {
      path.pop_back();
      continue;
    }
    const UOp s = u.srcs()[next++];
    const auto [it, is_new] = uses.try_emplace(s.id(), Use{uses.size(), 0, false});
    if (++it->second.count == 1) path.emplace_back(s, 0);
  }

  std::string out;
  struct Item {
    UOp node;  // null: closes a node of which `last` says that it is an argument of another
    size_t indent;
  };
  std::vector<Item> stack{{root, 0}};
  while (!stack.empty()) {
    const auto [u, indent] = stack.back();
    stack.pop_back();
    if (!u) {
      out += indent == 0 ? "))" : ")),";
      continue;
    }
    if (out.size() + indent > max_chars) too_long(root, max_chars);
    if (indent > 0) out += '\n';
    out.append(indent, ' ');
    Use& use = uses[u.id()];
    if (use.printed) {
      out += fmt::format("x{},", use.number);
      continue;
    }
    use.printed = true;
    if (use.count > 1) out += fmt::format("x{}:=", use.number);
    out += fmt::format("UOp(Ops.{}, {}, arg={}", op_name(u.op()), dtype_repr(u.dtype()), argument_text(u));
    if (const auto* tag = u.tag().get_if<std::string>())
      out += ", tag=" + *tag;
    else if (!u.tag().is_none())
      out += ", tag=" + to_string(u.tag());
    out += ", src=(";
    stack.push_back({UOp(), indent});
    for (size_t i = u.src_count(); i-- > 0;) stack.push_back({u.srcs()[i], indent + 2});
  }
  return out;
}

std::string render_as_is(UOp u, size_t max_chars) {
  return Renderer(u, max_chars).run();
}

std::string UOp::render(bool simplify) const {
  return render_as_is(simplify ? this->simplify() : *this);
}

}  // namespace rangescope
