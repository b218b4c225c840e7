#include "tests/fuzz/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "engine/ir/call.h"
#include "engine/ir/dim.h"

namespace rangescope::fuzz {

namespace {

constexpr DType kInts[] = {DType::int8,  DType::uint8,  DType::int16, DType::uint16,
                           DType::int32, DType::uint32, DType::int64, DType::uint64};
constexpr DType kFloats[] = {DType::float16,  DType::float32, DType::float64,
                             DType::bfloat16, DType::fp8e4m3, DType::fp8e5m2};
constexpr int kInputs = 4, kSteps = 12;
constexpr int64_t kFirstOutput = 10;

// A value made so far. `exact`: no machine may round it otherwise; `small`: of magnitudes up to some hundreds, so that
// what is computed from it stays finite in every dtype but the narrowest.
struct Value {
  UOp node;
  bool exact = true;
  int growth = 0;  // multiplications and sums that it went through
};

class Generator {
 public:
  Generator(Store& store, uint32_t seed) : s_(store), rng_(seed) {}

  Program program() {
    Program p;
    for (int i = 0; i < kInputs; ++i) {
      const UOp b = buffer(i + 1, random_dtype(), random_shape());
      buffers_.push_back(b);
      made_.push_back({b});
    }
    for (int i = 0; i < kSteps; ++i) step();
    UOps outputs = stores_;
    const size_t count = std::min(1 + below(3), made_.size());
    for (size_t i = 0; i < count; ++i) {
      const UOp value = made_[made_.size() - 1 - i].node.flatten();
      const UOp out = buffer(kFirstOutput + static_cast<int64_t>(i), value.dtype(), value.shape());
      outputs.push_back(out.after({out.store_value(value)}));
    }
    p.root = s_.sink(outputs);
    p.flags = flags();
    return p;
  }

 private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(rng_); }
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }
  int64_t number(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }

  DType random_dtype() {
    const size_t k = below(100);
    if (k < 30) return DType::float32;
    if (k < 50) return DType::int32;
    if (k < 60) return DType::bool_;
    return k < 80 ? kFloats[below(std::size(kFloats))] : kInts[below(std::size(kInts))];
  }
  int64_t random_size() {
    const size_t k = below(20);
    return k == 0 ? number(16, 40) : k < 5 ? number(5, 9) : number(1, 4);
  }
  Shape random_shape() {
    Shape shape;
    for (size_t i = 1 + below(3); i-- > 0;) shape.emplace_back(random_size());
    if (shape.size() == 3 && shape[2] == Dim(4)) shape[2] = Dim(3);
    return shape;
  }
  UOp buffer(int64_t slot, DType dtype, const Shape& shape) {
    ParamArg arg;
    arg.slot = slot;
    arg.dtype = dtype;
    arg.device = Device::single("CPU");
    return param(s_, arg, &shape);
  }

  const Value& any() { return made_[made_.size() - 1 - std::min(below(made_.size()), below(made_.size()))]; }
  template <class Test>
  const Value* any_that(Test test) {
    for (int i = 0; i < 6; ++i)
      if (const Value& v = any(); test(v)) return &v;
    return nullptr;
  }
  UOp constant(double value, UOp like) {
    const Scalar c = is_float(like.dtype())         ? Scalar(value)
                     : like.dtype() == DType::bool_ ? Scalar(value != 0)
                                                    : Scalar(static_cast<int64_t>(value));
    return s_.constant(c, like.dtype()).broadcast_to(like.shape());
  }
  // Another value of this shape and dtype, or a constant.
  Value partner(const Value& x) {
    if (const Value* y = any_that([&](const Value& v) {
          return v.node != x.node && v.node.shape() == x.node.shape() && v.node.dtype() == x.node.dtype();
        }))
      return *y;
    if (const Value* y = any_that([&](const Value& v) {
          return v.node.dtype() == x.node.dtype() && v.node.numel() == x.node.numel() &&
                 v.node.shape() != x.node.shape();
        }))
      return {y->node.reshape(x.node.shape()), y->exact, y->growth};
    const bool signed_dtype = is_float(x.node.dtype()) || dtypes::sints.contains(x.node.dtype());
    return {constant(static_cast<double>(signed_dtype ? number(-3, 3) : number(0, 3)), x.node)};
  }
  void add(UOp node, bool exact, int growth) {
    if (node.max_numel() > 0 && node.max_numel() <= 4096) made_.push_back({node, exact, growth});
  }

  // ** steps
  void step() {
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        return arithmetic();
      case 3:
        return unary();
      case 4:
        return comparison();
      case 5:
        return conversion();
      case 6:
      case 7:
      case 8:
        return movement();
      case 9:
        return reduction();
      case 10:
        return chance(50) ? store() : choice();
      default: {
        const Value v = any();
        return add(v.node.contiguous(), v.exact, v.growth);
      }
    }
  }

  void arithmetic() {
    const Value a = any(), b = partner(a);
    const UOp x = a.node, y = b.node;
    if (x.dtype() == DType::bool_) {
      constexpr Op kOps[] = {Op::AND, Op::OR, Op::XOR};
      return add(x.alu(kOps[below(3)], y), a.exact && b.exact, 0);
    }
    const int growth = std::max(a.growth, b.growth) + 1;
    if (is_float(x.dtype())) {
      if (growth > 3) return add(x.maximum(y), a.exact && b.exact, std::max(a.growth, b.growth));
      switch (below(5)) {
        case 0:
          return add(x - y, false, growth);
        case 1:
          return add(x * y, false, growth);
        case 2:
          return add(x.maximum(y), a.exact && b.exact, growth - 1);
        case 3:
          return add(x.div(y * y + constant(1, y)), false, growth);
        default:
          return add(x + y, false, growth);
      }
    }
    // integers wrap
    const bool exact = a.exact && b.exact;
    // Below zero an unsigned integer wraps, and the simplifier, as the reference's, takes it that it does not.
    const bool below_zero = dtypes::sints.contains(x.dtype());
    const UOp divisor = constant(static_cast<double>(number(1, 5)), x);
    switch (below(10)) {
      case 0:
        return add(below_zero ? x - y : x + y, exact, 0);
      case 1:
        return add(x * y, exact, 0);
      case 2:
        return add(x.maximum(y), exact, 0);
      case 3:
        return add(floordiv(x, divisor), exact, 0);
      case 4:
        return add(x % divisor, exact, 0);
      case 5:
        return add(x & y, exact, 0);
      case 6:
        return add(x | y, exact, 0);
      case 7:
        return add(x ^ y, exact, 0);
      case 8:
        return add(chance(50) ? x << Scalar(number(0, 3)) : x >> Scalar(number(0, 3)), exact, 0);
      default:
        return add(x + y, exact, 0);
    }
  }

  void unary() {
    const Value v = any();
    const UOp x = v.node;
    if (x.dtype() == DType::bool_) return add(x.logical_not(), v.exact, 0);
    if (!is_float(x.dtype())) return add(dtypes::sints.contains(x.dtype()) ? -x : x * constant(3, x), v.exact, 0);
    // within the domain, and not where a small error of the argument becomes a large one of the result
    const UOp low = x.maximum(constant(-3, x)).minimum(constant(3, x)),
              positive = x.maximum(constant(0, x)) + constant(1, x);
    switch (below(7)) {
      case 0:
        return add(positive.sqrt(), false, v.growth);
      case 1:
        return add(low.exp2(), false, v.growth + 1);
      case 2:
        return add(positive.alu(Op::LOG2), false, v.growth);
      case 3:
        return add(low.alu(Op::SIN), false, 0);
      case 4:
        return add(positive.reciprocal(), false, 0);
      case 5:
        return v.exact ? add(x.trunc(), true, v.growth) : add(-x, false, v.growth);
      default:
        return add(-x, v.exact, v.growth);
    }
  }

  void comparison() {
    const Value* a = any_that([](const Value& v) { return v.exact; });
    if (a == nullptr) return;
    const Value x = *a, y = partner(x);
    if (!y.exact) return;
    switch (below(3)) {
      case 0:
        return add(lt(x.node, y.node), true, 0);
      case 1:
        return add(x.node.ne(y.node), true, 0);
      default:
        return add(x.node.eq(y.node), true, 0);
    }
  }

  void choice() {
    const Value* c = any_that([](const Value& v) { return v.node.dtype() == DType::bool_; });
    if (c == nullptr) return comparison();
    const UOp condition = c->node;
    const bool exact = c->exact;
    const Value* a = any_that([&](const Value& v) { return v.node.shape() == condition.shape(); });
    if (a == nullptr) return;
    const Value x = *a, y = partner(x);
    add(condition.where(x.node, y.node), exact && x.exact && y.exact, std::max(x.growth, y.growth));
  }

  void conversion() {
    const Value v = any();
    const UOp x = v.node;
    const DType to = random_dtype();
    if (to == x.dtype()) return;
    if (!is_float(x.dtype())) {
      if (chance(20) && itemsize(to) == itemsize(x.dtype()) && to != DType::bool_ && x.dtype() != DType::bool_ &&
          !is_float(to))
        return add(x.bitcast(to), v.exact, 0);
      if (!is_float(to)) return add(x.cast(to), v.exact, 0);
      // no larger than the narrowest dtype holds
      if (x.dtype() == DType::bool_) return add(x.cast(to), v.exact, 1);
      return add((x % constant(8, x)).cast(to), v.exact, 1);
    }
    if (is_float(to)) return add(x.cast(to), v.exact && itemsize(to) > itemsize(x.dtype()), v.growth);
    if (!v.exact) return;
    if (to == DType::bool_) return add(x.cast(to), true, 0);
    const bool negative = dtypes::sints.contains(to);
    add(x.maximum(constant(negative ? -9 : 0, x)).minimum(constant(9, x)).cast(to), true, 0);
  }

  void movement() {
    const Value v = any();
    const UOp x = v.node;
    const auto rank = static_cast<int64_t>(x.ndim());
    std::vector<std::pair<Dim, Dim>> pairs(x.ndim());
    const auto moved = [&](UOp node) { add(node, v.exact, v.growth); };
    if (rank == 0) return moved(x.reshape({Dim(1)}));
    switch (below(7)) {
      case 0: {
        std::vector<int64_t> order;
        for (int64_t i = 0; i < rank; ++i) order.push_back(i);
        std::ranges::shuffle(order, rng_);
        return moved(x.permute(order));
      }
      case 1:
        for (auto& [before, after] : pairs) {
          before = Dim(number(0, 2));
          after = Dim(number(0, 1));
        }
        return moved(x.pad(pairs));
      case 2:
        for (size_t i = 0; i < pairs.size(); ++i) {
          const int64_t size = x.shape()[i].value, from = number(0, size - 1);
          pairs[i] = {Dim(from), Dim(number(from + 1, size))};
        }
        return moved(x.shrink(pairs));
      case 3:
        return moved(x.flip(std::vector<int64_t>{number(0, rank - 1)}));
      case 4: {
        const UOp flat = x.flatten();
        const int64_t n = x.max_numel();
        for (const int64_t by : {2, 3, 5})
          if (n % by == 0 && chance(50)) return moved(flat.reshape({Dim(by), Dim(n / by)}));
        return moved(flat);
      }
      case 5: {
        Shape to = x.shape();
        for (Dim& d : to)
          if (d == Dim(1)) d = Dim(number(2, 3));
        if (to != x.shape()) return moved(x.broadcast_to(to));
        if (rank > 3) return;
        to.insert(to.begin(), Dim(number(2, 3)));
        return moved(x.broadcast_to(to));
      }
      default:
        if (rank > 3) return;
        return moved(x.unsqueeze(number(0, rank)));
    }
  }

  void reduction() {
    const Value v = any();
    const UOp x = v.node;
    std::vector<int64_t> axes;
    for (size_t i = 0; i < x.ndim(); ++i)
      if (chance(60)) axes.push_back(static_cast<int64_t>(i));
    if (axes.empty() || x.ndim() == 0) return;
    const bool floats = is_float(x.dtype());
    const Op op = x.dtype() == DType::bool_ ? Op::MAX
                  : v.growth > 2 && floats  ? Op::MAX
                  : chance(60)              ? Op::ADD
                  : chance(70)              ? Op::MAX
                                            : Op::MUL;
    add(x.rop(op, axes), v.exact && (!floats || op == Op::MAX), v.growth + (op == Op::ADD ? 1 : op == Op::MUL ? 2 : 0));
  }

  // An input is overwritten, all of it or a part; from here on it is what it is afterwards.
  void store() {
    const size_t which = below(buffers_.size());
    const UOp b = buffers_[which];
    UOp place = b;
    if (chance(60)) {
      std::vector<std::pair<Dim, Dim>> pairs(b.ndim());
      for (size_t i = 0; i < pairs.size(); ++i) {
        const int64_t size = b.shape()[i].value, from = number(0, size - 1);
        pairs[i] = {Dim(from), Dim(number(from + 1, size))};
      }
      place = b.shrink(pairs);
    }
    const Value* v = any_that([&](const Value& x) {
      return x.node.dtype() == b.dtype() && x.node.max_numel() >= place.max_numel() && x.growth <= 2;
    });
    const bool fits = v != nullptr;
    UOp value = fits ? v->node.flatten() : constant(1, place);
    if (fits) {
      const std::pair<Dim, Dim> part[] = {{Dim(0), Dim(place.max_numel())}};
      value = value.shrink(part).reshape(place.shape());
    }
    // The scheduler, as the reference does, sees that a store would overwrite what it still has to read where the value
    // permutes, flips or shrinks the buffer, and not where it pads or repeats it.
    if (value.in_backward_slice_with_self(b)) value = value.contiguous();
    const UOp after = b.after({place.store_value(value)});
    const bool exact = !fits || v->exact;
    const int growth = fits ? v->growth : 0;
    stores_.push_back(after);
    // What the buffer held before is read no more: a kernel that would read both is refused, as it is by the reference.
    std::erase_if(made_, [&](const Value& x) { return x.node.in_backward_slice_with_self(b); });
    buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(which));  // once each
    if (buffers_.empty()) buffers_.push_back(buffer(5, DType::float32, random_shape()));
    made_.push_back({after, exact, growth});
  }

  std::vector<std::pair<std::string, int64_t>> flags() {
    std::vector<std::pair<std::string, int64_t>> f;
    if (chance(25)) f.emplace_back("SPLIT_REDUCEOP", 0);
    if (chance(20)) f.emplace_back("PCONTIG", number(1, 3));
    if (chance(15)) f.emplace_back("OPENPILOT_HACKS", 1);
    if (chance(15)) f.emplace_back("MAX_KERNEL_BUFFERS", number(2, 5));
    return f;
  }

  Store& s_;
  std::mt19937 rng_;
  std::vector<Value> made_;
  UOps buffers_, stores_;
};

}  // namespace

Program random_program(Store& store, uint32_t seed) {
  Program p = Generator(store, seed).program();
  p.name = fmt::format("random {}", seed);
  return p;
}

}  // namespace rangescope::fuzz
