// A node's label: the front of its formula. Only as many nodes are looked at as fit.

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/error.h"
#include "engine/ir/text_form.h"

namespace rangescope {

namespace {

constexpr OpSet kInParentheses{Op::NEG,      Op::RECIPROCAL, Op::MULACC, Op::WHERE, Op::ADD, Op::SUB,
                               Op::FLOORDIV, Op::FLOORMOD,   Op::SHL,    Op::SHR,   Op::MUL, Op::CMPLT,
                               Op::CMPNE,    Op::AND,        Op::OR,     Op::XOR};

// The part of an argument that tells nodes of one op apart, where it is short.
std::string short_argument(UOp u, size_t max_chars) {
  const Arg& a = u.arg();
  std::string r;
  if (const auto* s = a.get_if<std::string>()) {
    r = s->substr(0, max_chars);
  } else if (const auto* d = a.get_if<DType>()) {
    r = dtype_name(*d);
  } else if (a.is_int()) {
    r = a.as<Scalar>().str().substr(0, max_chars);
  } else if (const auto* stage = a.get_if<StageArg>()) {
    r = addrspace_name(stage->addrspace);
  } else if (const auto* k = a.get_if<KernelInfo>()) {
    r = k->name.substr(0, max_chars);
  } else if (const auto* c = a.get_if<CallInfo>()) {
    r = c->name.value_or("").substr(0, max_chars);
  } else if (const auto* t = a.get_if<Arg::Tuple>(); t != nullptr && !t->empty()) {
    if (const auto* op = (*t)[0].get_if<Op>()) r = op_name(*op);
  }
  return r;
}

class Labeller {
 public:
  explicit Labeller(size_t max_chars) : max_chars_(max_chars) {}

  std::string run(UOp root) {
    stack_.push_back({root, 0, kInParentheses.contains(root.op()), {}});
    while (!stack_.empty() && out_.size() <= max_chars_) {
      const Piece top = std::move(stack_.back());
      stack_.pop_back();
      if (!top.node) {
        out_ += top.text;
        continue;
      }
      pieces_.clear();
      depth_ = top.depth + 1;
      if (top.depth < kMaxDepth || top.node.src_count() == 0)
        form(top.node);
      else
        text("...");
      if (top.strip && pieces_.size() >= 2) {
        pieces_.front().text.erase(0, 1);
        pieces_.back().text.pop_back();
      }
      std::ranges::move(pieces_.rbegin(), pieces_.rend(), std::back_inserter(stack_));
    }
    if (out_.size() <= max_chars_) return std::move(out_);
    size_t end = max_chars_ < 3 ? 0 : max_chars_ - 3;
    while (end > 0 && (static_cast<unsigned char>(out_[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
    return out_.substr(0, end) + "...";
  }

  // as a sink
  void text(std::string_view t) { pieces_.push_back({UOp(), 0, false, std::string(t.substr(0, max_chars_ + 1))}); }
  void child(UOp u, bool strip) { pieces_.push_back({u, depth_, strip && kInParentheses.contains(u.op()), {}}); }
  bool has_room() const { return pieces_.size() <= max_chars_; }

 private:
  static constexpr size_t kMaxDepth = 12;  // what is deeper shows as "...": sums nest to the left

  struct Piece {
    UOp node;
    size_t depth;
    bool strip;
    std::string text;
  };

  void form(UOp u) {
    try {
      if (text::formula(u, *this)) return;
    } catch (const GraphError&) {  // an argument or a source that the op needs is not there
      pieces_.clear();
    }
    const auto list = [&](size_t from, const char* open, const char* close) {
      text(open);
      for (size_t i = from; i < u.src_count() && has_room(); ++i) {
        if (i > from) text(", ");
        child(u.srcs()[i], true);
      }
      text(close);
    };
    if ((u.is(Op::INDEX) || groups::Movement.contains(u.op())) && u.src_count() > 0) {
      child(u.srcs()[0], false);
      if (u.is(Op::INDEX)) return list(1, "[", "]");
      text("." + text::lower_name(u.op()));
      return;
    }
    const std::string argument = short_argument(u, max_chars_);
    text(argument.empty() ? std::string(op_name(u.op())) : fmt::format("{} {}", op_name(u.op()), argument));
    if (u.src_count() > 0) list(0, "(", ")");
  }

  size_t max_chars_;
  size_t depth_ = 0;
  std::string out_;
  std::vector<Piece> stack_, pieces_;
};

}  // namespace

std::string short_label(UOp u, size_t max_chars) {
  return Labeller(max_chars).run(u);
}

}  // namespace rangescope
