#include "engine/eval/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/eval/runs.h"
#include "engine/ir/error.h"

namespace rangescope::eval {

namespace {

// The result's memory and how it and the operands are walked together. Axes along which every operand repeats are
// computed once and repeat in the result.
template <size_t N>
struct Plan {
  Made made;
  Walk<N + 1> walk;  // 0: the result
};

template <size_t N>
Plan<N> plan(DType dtype, std::span<const Value> operands, Meter& meter) {
  const OpenRanges open = open_ranges(operands);
  const Sizes shape = broadcast(operands);
  Plan<N> p;
  Sizes dims = open.sizes;
  dims.insert(dims.end(), shape.begin(), shape.end());
  Sizes held(dims.size(), 1);
  for (size_t k = 0; k < N; ++k) {
    p.walk.strides[k + 1] = aligned_strides(operands[k], open.ranges, shape);
    p.walk.offsets[k + 1] = operands[k].offset;
    for (size_t d = 0; d < dims.size(); ++d)
      if (p.walk.strides[k + 1][d] != 0 || dims[d] == 0) held[d] = dims[d];
  }
  p.made = make_value(dtype, open.ranges, held, meter);
  p.walk.dims = held;
  p.walk.strides[0] = p.made.value.strides;
  for (size_t d = 0; d < dims.size(); ++d)
    if (held[d] != dims[d]) p.made.value.strides[d] = 0;
  p.made.value.dims = dims;
  return p;
}

template <class R, class T, class F>
void one(Walk<2> walk, R* out, const T* a, F f) {
  walk.each_run([&](const auto& o, int64_t n, const auto& s) {
    R* r = out + o[0];
    const T* x = a + o[1];
    for (int64_t j = 0; j < n; ++j) r[j * s[0]] = static_cast<R>(f(x[j * s[1]]));
  });
}
template <class R, class T, class F>
void two(Walk<3> walk, R* out, const T* a, const T* b, F f) {
  walk.each_run([&](const auto& o, int64_t n, const auto& s) {
    R* r = out + o[0];
    const T* x = a + o[1];
    const T* y = b + o[2];
    for (int64_t j = 0; j < n; ++j) r[j * s[0]] = static_cast<R>(f(x[j * s[1]], y[j * s[2]]));
  });
}
template <class R, class F>
void three(Walk<4> walk, R* out, const int64_t* c, const R* a, const R* b, F f) {
  walk.each_run([&](const auto& o, int64_t n, const auto& s) {
    for (int64_t j = 0; j < n; ++j)
      out[o[0] + j * s[0]] = f(c[o[1] + j * s[1]], a[o[2] + j * s[2]], b[o[3] + j * s[3]]);
  });
}

// The result is invalid where an operand is; of a WHERE only the condition and the chosen branch count.
template <size_t N>
void spread_invalid(Plan<N>& p, std::span<const Value> operands, bool chooses) {
  if (std::ranges::none_of(operands, [](const Value& v) { return v.has_invalid(); })) return;
  auto& out = p.made.array->invalid;
  out.assign(std::max(p.made.array->floats.size(), p.made.array->ints.size()), 0);
  Walk<N + 1> walk = p.walk;
  const auto bad = [&](size_t k, int64_t i) {
    return operands[k].has_invalid() && operands[k].data->invalid[static_cast<size_t>(i)] != 0;
  };
  walk.each_run([&](const auto& o, int64_t n, const auto& s) {
    for (int64_t j = 0; j < n; ++j) {
      bool any = false;
      for (size_t k = 0; k < N; ++k) {
        const int64_t i = o[k + 1] + j * s[k + 1];
        if (chooses && k > 0 && (operands[0].data->ints[static_cast<size_t>(o[1] + j * s[1])] != 0) != (k == 1))
          continue;
        any = any || bad(k, i);
      }
      out[static_cast<size_t>(o[0] + j * s[0])] = any ? 1 : 0;
    }
  });
  if (std::ranges::find(out, 1) == out.end()) out.clear();
}

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
int64_t c_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}
int64_t minus_product(int64_t a, int64_t q, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(q) * static_cast<uint64_t>(b));
}
double float_floor(double a, double b) {
  return std::floor(a / b);
}

int64_t int_power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
  uint64_t r = 1, b = static_cast<uint64_t>(base);
  for (auto e = static_cast<uint64_t>(exponent); e != 0; e >>= 1) {
    if ((e & 1) != 0) r *= b;
    b *= b;
  }
  return static_cast<int64_t>(r);
}

[[noreturn]] void cannot(Op op, DType dtype) {
  throw GraphError(fmt::format("the evaluator cannot compute {} on {}", op_name(op), dtype_name(dtype)));
}

Value unary(Op op, DType dtype, std::span<const Value> v, Meter& meter) {
  Plan<1> p = plan<1>(dtype, v, meter);
  spread_invalid(p, v, false);
  if (is_float(v[0].dtype)) {
    const double* a = v[0].data->floats.data();
    double* out = p.made.array->floats.data();
    const auto run = [&](auto f) { one(p.walk, out, a, f); };
    switch (op) {
      case Op::EXP2:
        run([](double x) { return std::exp2(x); });
        break;
      case Op::LOG2:
        run([](double x) { return std::log2(x); });
        break;
      case Op::SIN:
        run([](double x) { return std::sin(x); });
        break;
      case Op::SQRT:
        run([](double x) { return std::sqrt(x); });
        break;
      case Op::RECIPROCAL:
        run([](double x) { return 1.0 / x; });
        break;
      case Op::NEG:
        run([](double x) { return -x; });
        break;
      case Op::TRUNC:
        run([](double x) { return std::trunc(x); });
        break;
      default:
        cannot(op, dtype);
    }
    return p.made.value;
  }
  const int64_t* a = v[0].data->ints.data();
  int64_t* out = p.made.array->ints.data();
  if (op == Op::NEG)
    one(p.walk, out, a, [&](int64_t x) { return wrapped(static_cast<int64_t>(0 - static_cast<uint64_t>(x)), dtype); });
  else if (op == Op::TRUNC)
    one(p.walk, out, a, [](int64_t x) { return x; });
  else
    cannot(op, dtype);
  return p.made.value;
}

void float_binary(Op op, DType dtype, Plan<2>& p, const double* a, const double* b) {
  const auto run = [&](auto f) { two(p.walk, p.made.array->floats.data(), a, b, f); };
  switch (op) {
    case Op::ADD:
      return run([](double x, double y) { return x + y; });
    case Op::SUB:
      return run([](double x, double y) { return x - y; });
    case Op::MUL:
      return run([](double x, double y) { return x * y; });
    case Op::FDIV:
      return run([](double x, double y) { return x / y; });
    case Op::MAX:
      return run([](double x, double y) { return x < y ? y : x; });
    case Op::POW:
      return run([](double x, double y) { return std::pow(x, y); });
    case Op::CMOD:
      return run([](double x, double y) { return std::fmod(x, y); });
    case Op::FLOORDIV:
      return run(float_floor);
    case Op::FLOORMOD:
      return run([](double x, double y) { return x - float_floor(x, y) * y; });
    default:
      cannot(op, dtype);
  }
}

// Products and sums of the index dtype must not leave 64 bits: there it is unbounded.
void index_binary(Op op, Plan<2>& p, const int64_t* a, const int64_t* b) {
  bool left = false;
  const auto run = [&](auto f) {
    two(p.walk, p.made.array->ints.data(), a, b, [&](int64_t x, int64_t y) {
      int64_t r = 0;
      left = f(x, y, &r) || left;
      return r;
    });
  };
  switch (op) {
    case Op::ADD:
      run([](int64_t x, int64_t y, int64_t* r) { return __builtin_add_overflow(x, y, r); });
      break;
    case Op::SUB:
      run([](int64_t x, int64_t y, int64_t* r) { return __builtin_sub_overflow(x, y, r); });
      break;
    default:
      run([](int64_t x, int64_t y, int64_t* r) { return __builtin_mul_overflow(x, y, r); });
      break;
  }
  if (left) throw GraphError(fmt::format("a result of {} on index integers does not fit 64 bits", op_name(op)));
}

void unsigned_binary(Op op, DType dtype, Plan<2>& p, const int64_t* a, const int64_t* b) {
  const auto run = [&](auto f) {
    two(p.walk, p.made.array->ints.data(), a, b, [&](int64_t x, int64_t y) {
      return static_cast<int64_t>(f(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
    });
  };
  using U = uint64_t;
  switch (op) {
    case Op::MAX:
      return run([](U x, U y) { return std::max(x, y); });
    case Op::CDIV:
    case Op::FLOORDIV:
      return run([](U x, U y) { return y == 0 ? 0 : x / y; });
    case Op::CMOD:
    case Op::FLOORMOD:
      return run([](U x, U y) { return y == 0 ? x : x % y; });
    case Op::SHR:
      return run([](U x, U y) { return y > 63 ? 0 : x >> y; });
    case Op::THREEFRY:
      return run(threefry);
    default:
      cannot(op, dtype);
  }
}

void int_binary(Op op, DType dtype, Plan<2>& p, const int64_t* a, const int64_t* b) {
  if (dtype == DType::weakint && (op == Op::ADD || op == Op::SUB || op == Op::MUL)) return index_binary(op, p, a, b);
  constexpr OpSet kBySign{Op::MAX, Op::CDIV, Op::FLOORDIV, Op::CMOD, Op::FLOORMOD, Op::SHR, Op::THREEFRY};
  if (dtype == DType::uint64 && kBySign.contains(op)) return unsigned_binary(op, dtype, p, a, b);
  const auto run = [&](auto f) {
    two(p.walk, p.made.array->ints.data(), a, b, [&](int64_t x, int64_t y) { return wrapped(f(x, y), dtype); });
  };
  using U = uint64_t;
  switch (op) {
    case Op::ADD:
      return run([](int64_t x, int64_t y) { return static_cast<int64_t>(U(x) + U(y)); });
    case Op::SUB:
      return run([](int64_t x, int64_t y) { return static_cast<int64_t>(U(x) - U(y)); });
    case Op::MUL:
      return run([](int64_t x, int64_t y) { return static_cast<int64_t>(U(x) * U(y)); });
    case Op::MAX:
      return run([](int64_t x, int64_t y) { return std::max(x, y); });
    case Op::AND:
      return run([](int64_t x, int64_t y) { return x & y; });
    case Op::OR:
      return run([](int64_t x, int64_t y) { return x | y; });
    case Op::XOR:
      return run([](int64_t x, int64_t y) { return x ^ y; });
    case Op::SHL:
      return run([](int64_t x, int64_t y) { return y < 0 || y > 63 ? 0 : static_cast<int64_t>(U(x) << y); });
    case Op::SHR:
      return run([](int64_t x, int64_t y) { return x >> std::clamp<int64_t>(y, 0, 63); });
    case Op::CDIV:
      return run(c_quotient);
    case Op::CMOD:
      return run([](int64_t x, int64_t y) { return minus_product(x, c_quotient(x, y), y); });
    case Op::FLOORDIV:
      return run(floor_quotient);
    case Op::FLOORMOD:
      return run([](int64_t x, int64_t y) { return minus_product(x, floor_quotient(x, y), y); });
    case Op::POW:
      return run(int_power);
    default:
      cannot(op, dtype);
  }
}

template <class T>
void compare(Op op, Plan<2>& p, const T* a, const T* b) {
  int64_t* out = p.made.array->ints.data();
  if (op == Op::CMPLT)
    two(p.walk, out, a, b, [](T x, T y) { return x < y; });
  else if (op == Op::CMPNE)
    two(p.walk, out, a, b, [](T x, T y) { return x != y; });
  else
    two(p.walk, out, a, b, [](T x, T y) { return x == y; });
}

Value binary(Op op, DType dtype, std::span<const Value> given, Meter& meter) {
  const bool compares = groups::Comparison.contains(op);
  const bool floats = compares ? is_float(given[0].dtype) || is_float(given[1].dtype) : is_float(dtype);
  const DType as = floats ? DType::float64 : DType::int64;
  const std::array<Value, 2> v{converted(given[0], as, meter), converted(given[1], as, meter)};
  Plan<2> p = plan<2>(dtype, v, meter);
  spread_invalid(p, v, false);
  const Array &a = *v[0].data, &b = *v[1].data;
  if (!compares) {
    if (floats)
      float_binary(op, dtype, p, a.floats.data(), b.floats.data());
    else
      int_binary(op, dtype, p, a.ints.data(), b.ints.data());
  } else if (floats) {
    compare(op, p, a.floats.data(), b.floats.data());
  } else if (op == Op::CMPLT && given[0].dtype == DType::uint64 && given[1].dtype == DType::uint64) {
    two(p.walk, p.made.array->ints.data(), a.ints.data(), b.ints.data(),
        [](int64_t x, int64_t y) { return static_cast<uint64_t>(x) < static_cast<uint64_t>(y); });
  } else {
    compare(op, p, a.ints.data(), b.ints.data());
  }
  return p.made.value;
}

Value ternary(Op op, DType dtype, std::span<const Value> given, Meter& meter) {
  if (op == Op::MULACC) {
    const std::array<Value, 2> factors{given[0], given[1]};
    const std::array<Value, 2> terms{binary(Op::MUL, dtype, factors, meter), given[2]};
    return binary(Op::ADD, dtype, terms, meter);
  }
  const DType as = is_float(dtype) ? DType::float64 : DType::int64;
  const std::array<Value, 3> v{given[0], converted(given[1], as, meter), converted(given[2], as, meter)};
  if (is_float(v[0].dtype)) throw GraphError("the condition of a WHERE is a float");
  Plan<3> p = plan<3>(dtype, v, meter);
  spread_invalid(p, v, true);
  const int64_t* c = v[0].data->ints.data();
  if (is_float(dtype))
    three(p.walk, p.made.array->floats.data(), c, v[1].data->floats.data(), v[2].data->floats.data(),
          [](int64_t x, double y, double z) { return x != 0 ? y : z; });
  else
    three(p.walk, p.made.array->ints.data(), c, v[1].data->ints.data(), v[2].data->ints.data(),
          [](int64_t x, int64_t y, int64_t z) { return x != 0 ? y : z; });
  return p.made.value;
}

}  // namespace

namespace {

Value of_any_count(Op op, DType dtype, std::span<const Value> operands, Meter& meter) {
  const size_t wanted = groups::Unary.contains(op) ? 1 : groups::Binary.contains(op) ? 2 : 3;
  if (operands.size() != wanted)
    throw GraphError(fmt::format("{} takes {} operands, not {}", op_name(op), wanted, operands.size()));
  if (wanted == 1) {
    const Value v = converted(operands[0], is_float(dtype) ? DType::float64 : DType::int64, meter);
    return unary(op, dtype, {&v, 1}, meter);
  }
  return wanted == 2 ? binary(op, dtype, operands, meter) : ternary(op, dtype, operands, meter);
}

Value each_rounded(const Value& v, DType dtype, Meter& meter) {
  Plan<1> p = plan<1>(dtype, {&v, 1}, meter);
  spread_invalid(p, {&v, 1}, false);
  const auto round = meter.rounds(dtype) ? machine_rounded : rounded;
  one(p.walk, p.made.array->floats.data(), v.data->floats.data(), [&](double x) { return round(x, dtype); });
  return p.made.value;
}

}  // namespace

Value elementwise(Op op, DType dtype, std::span<const Value> operands, Meter& meter) {
  const Value exact = of_any_count(op, dtype, operands, meter);
  return meter.rounds(dtype) ? each_rounded(exact, dtype, meter) : exact;
}

Value cast(const Value& v, DType dtype, Meter& meter) {
  if (v.dtype == dtype) return v;
  const bool truth = dtype == DType::bool_ && is_float(v.dtype);
  const Value from = truth ? v : converted(v, dtype, meter);
  if (is_float(dtype)) return each_rounded(from, dtype, meter);
  Plan<1> p = plan<1>(dtype, {&from, 1}, meter);
  spread_invalid(p, {&from, 1}, false);
  if (truth)
    one(p.walk, p.made.array->ints.data(), from.data->floats.data(), [](double x) { return x != 0; });
  else
    one(p.walk, p.made.array->ints.data(), from.data->ints.data(), [&](int64_t x) { return wrapped(x, dtype); });
  return p.made.value;
}

}  // namespace rangescope::eval
