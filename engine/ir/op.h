#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>

namespace rangescope {

// Every op, in the reference's order: it decides topological order and the order of operands, and with them which rule
// fires first. The name of an op is its enumerator.
// clang-format off
#define RANGESCOPE_OPS(X)                                                                                             \
  X(SPECIAL) X(BUFFER)                                                            /* storage and launch dimensions */ \
  X(NOOP) X(REWRITE_ERROR) X(PARAM) X(FUNCTION) X(CALL)                           /* not rendered */                  \
  X(PROGRAM) X(LINEAR) X(SOURCE) X(BINARY)                                        /* rendered programs */             \
  X(SINK) X(AFTER) X(GROUP) X(STACK) X(TUPLE) X(GETTUPLE) X(GETADDR)              /* ordering and selection */        \
  X(INDEX) X(SHRINK) X(LOAD) X(STORE) X(WMMA)                                     /* memory and tensor cores */       \
  X(CAST) X(BITCAST) X(EXP2) X(LOG2) X(SIN) X(SQRT) X(RECIPROCAL) X(NEG) X(TRUNC) /* one operand */                   \
  X(ADD) X(MUL) X(SHL) X(SHR) X(CDIV) X(MAX) X(CMOD) X(CMPLT) X(CMPNE) X(CMPEQ)   /* two operands */                  \
  X(XOR) X(OR) X(AND) X(THREEFRY) X(SUB) X(FDIV) X(POW) X(FLOORDIV) X(FLOORMOD)                                       \
  X(WHERE) X(MULACC)                                                              /* three operands */                \
  X(BARRIER) X(RANGE) X(IF) X(END) X(ENDIF) X(WAIT)                               /* control flow */                  \
  X(CONST) X(CUSTOM) X(CUSTOMI) X(INS)                                            /* constants and custom code */     \
  X(CONTIGUOUS) X(CONTIGUOUS_BACKWARD) X(DETACH)                                  /* hints to the scheduler */        \
  X(STAGE) X(COPY) X(MSELECT) X(MSTACK) X(CUSTOM_FUNCTION)                        /* buffers */                       \
  X(RESHAPE) X(PERMUTE) X(EXPAND) X(PAD) X(FLIP) X(UNSHARD)                       /* movement */                      \
  X(REDUCE) X(ALLREDUCE) X(PYLITERAL)
// clang-format on

// Values are the reference's, which start at 1; 0 is no op.
enum class Op : uint8_t {
  kNone = 0,
#define X(name) name,
  RANGESCOPE_OPS(X)
#undef X
};

inline constexpr std::string_view kOpNames[] = {"none",
#define X(name) #name,
                                                RANGESCOPE_OPS(X)
#undef X
};
// One past the largest value: the size of a table indexed by Op.
inline constexpr size_t kOpLimit = std::size(kOpNames);
static_assert(kOpLimit <= 128);

constexpr std::string_view op_name(Op op) {
  return kOpNames[static_cast<size_t>(op)];
}
std::optional<Op> op_from_name(std::string_view name);

// A set of ops in 128 bits; iterates in the ops' order.
class OpSet {
 public:
  constexpr OpSet() = default;
  constexpr OpSet(Op op) { insert(op); }  // NOLINT(google-explicit-constructor): one op is a set of one
  constexpr OpSet(std::initializer_list<Op> ops) {
    for (Op op : ops) insert(op);
  }
  static constexpr OpSet all() {
    OpSet r;
    for (size_t i = 1; i < kOpLimit; ++i) r.insert(static_cast<Op>(i));
    return r;
  }

  constexpr void insert(Op op) {
    const uint64_t bit = uint64_t{1} << (index(op) & 63);
    words_[0] |= index(op) < 64 ? bit : 0;
    words_[1] |= index(op) < 64 ? 0 : bit;
  }
  // A choice rather than an index: the set stays in registers.
  constexpr bool contains(Op op) const {
    return ((index(op) < 64 ? words_[0] : words_[1]) >> (index(op) & 63) & 1) != 0;
  }
  constexpr bool subset_of(OpSet o) const { return (*this - o).empty(); }
  constexpr bool intersects(OpSet o) const { return !(*this & o).empty(); }
  constexpr bool empty() const { return (words_[0] | words_[1]) == 0; }
  constexpr std::array<uint64_t, 2> words() const { return {words_[0], words_[1]}; }
  constexpr int size() const { return std::popcount(words_[0]) + std::popcount(words_[1]); }

  friend constexpr OpSet operator|(OpSet a, OpSet b) { return {a.words_[0] | b.words_[0], a.words_[1] | b.words_[1]}; }
  friend constexpr OpSet operator&(OpSet a, OpSet b) { return {a.words_[0] & b.words_[0], a.words_[1] & b.words_[1]}; }
  friend constexpr OpSet operator-(OpSet a, OpSet b) {
    return {a.words_[0] & ~b.words_[0], a.words_[1] & ~b.words_[1]};
  }
  constexpr OpSet& operator|=(OpSet o) { return *this = *this | o; }
  friend constexpr bool operator==(OpSet, OpSet) = default;

  class Iterator {
   public:
    using value_type = Op;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() = default;
    constexpr Iterator(uint64_t low, uint64_t high) : low_(low), high_(high) {}
    constexpr Op operator*() const {
      return static_cast<Op>(low_ != 0 ? std::countr_zero(low_) : 64 + std::countr_zero(high_));
    }
    constexpr Iterator& operator++() {
      (low_ != 0 ? low_ : high_) &= (low_ != 0 ? low_ : high_) - 1;
      return *this;
    }
    constexpr Iterator operator++(int) {
      Iterator r = *this;
      ++*this;
      return r;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    uint64_t low_ = 0, high_ = 0;
  };
  constexpr Iterator begin() const { return {words_[0], words_[1]}; }
  constexpr Iterator end() const { return {}; }

 private:
  constexpr OpSet(uint64_t low, uint64_t high) : words_{low, high} {}
  static constexpr size_t index(Op op) { return static_cast<size_t>(op); }

  std::array<uint64_t, 2> words_{};
};

namespace groups {

inline constexpr OpSet Unary{Op::EXP2, Op::LOG2, Op::SIN, Op::SQRT, Op::RECIPROCAL, Op::NEG, Op::TRUNC};
inline constexpr OpSet Binary{Op::ADD,   Op::MUL,  Op::CDIV, Op::MAX,      Op::CMOD,    Op::CMPLT, Op::CMPNE,
                              Op::CMPEQ, Op::XOR,  Op::SHL,  Op::SHR,      Op::OR,      Op::AND,   Op::THREEFRY,
                              Op::SUB,   Op::FDIV, Op::POW,  Op::FLOORDIV, Op::FLOORMOD};
inline constexpr OpSet Ternary{Op::WHERE, Op::MULACC};
inline constexpr OpSet ALU = Unary | Binary | Ternary;
inline constexpr OpSet Broadcastable = Binary | Ternary;
inline constexpr OpSet Elementwise = ALU | OpSet{Op::CAST, Op::BITCAST};
inline constexpr OpSet Defines{Op::PARAM, Op::BUFFER};
inline constexpr OpSet Irreducible{Op::CONST, Op::SPECIAL, Op::RANGE, Op::PARAM, Op::GETADDR};
inline constexpr OpSet Movement{Op::RESHAPE, Op::EXPAND, Op::PERMUTE, Op::PAD, Op::SHRINK, Op::FLIP};
inline constexpr OpSet Commutative{Op::ADD,   Op::MUL, Op::MAX, Op::CMPNE,  // f(a, b) == f(b, a)
                                   Op::CMPEQ, Op::XOR, Op::AND, Op::OR};
inline constexpr OpSet Associative{Op::ADD, Op::MUL, Op::AND, Op::OR, Op::MAX};  // f(f(a, b), c) == f(a, f(b, c))
inline constexpr OpSet Idempotent{Op::OR, Op::AND, Op::MAX};                     // f(a, a) == a
inline constexpr OpSet Reduce{Op::ADD, Op::MUL, Op::MAX};                        // what REDUCE and ALLREDUCE can do
inline constexpr OpSet Comparison{Op::CMPLT, Op::CMPNE, Op::CMPEQ};              // give bool for any operands
inline constexpr OpSet All = OpSet::all();

}  // namespace groups

// What an axis of a kernel stands for, in the reference's order.
#define RANGESCOPE_AXIS_TYPES(X) \
  X(DEVICE)                      \
  X(GLOBAL) X(WARP) X(LOCAL) X(WEAK) X(GROUP_REDUCE) X(REDUCE) X(UPCAST) X(UNROLL) X(THREAD) X(PLACEHOLDER) X(LOOP)
enum class AxisType : uint8_t {
#define X(name) name,
  RANGESCOPE_AXIS_TYPES(X)
#undef X
};
inline constexpr size_t kAxisTypeCount = static_cast<size_t>(AxisType::LOOP) + 1;
std::string_view axis_name(AxisType axis);
std::optional<AxisType> axis_from_name(std::string_view name);
// The letter of a range's printed name; a placeholder has none and prints as '?'.
char axis_letter(AxisType axis);
// Where axes of this type stand in a kernel, outermost first; a placeholder stands nowhere.
std::optional<int> axis_position(AxisType axis);

#define RANGESCOPE_ADDR_SPACES(X) X(GLOBAL) X(LOCAL) X(REG) X(ALU)
enum class AddrSpace : uint8_t {
#define X(name) name,
  RANGESCOPE_ADDR_SPACES(X)
#undef X
};
std::string_view addrspace_name(AddrSpace space);
std::optional<AddrSpace> addrspace_from_name(std::string_view name);

// What the kernel optimiser can do to an axis, in the reference's order.
#define RANGESCOPE_OPT_OPS(X) \
  X(TC) X(UPCAST) X(UNROLL) X(LOCAL) X(THREAD) X(GROUP) X(GROUPTOP) X(NOLOCALS) X(PADTO) X(SWAP)
enum class OptOp : uint8_t {
#define X(name) name,
  RANGESCOPE_OPT_OPS(X)
#undef X
};
std::string_view optop_name(OptOp op);
std::optional<OptOp> optop_from_name(std::string_view name);

}  // namespace rangescope
