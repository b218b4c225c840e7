#include "engine/codegen/float_decomposition.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/ir/error.h"
#include "engine/rewrite/driver.h"

namespace rangescope::codegen {

namespace {

// Powers of two as the graph writes them: shifts come later.
UOp shl(UOp x, int64_t n) {
  return x * Scalar(Int::pow2(n));
}
UOp shr(UOp x, int64_t n) {
  return floordiv(x, Scalar(Int::pow2(n)));
}
Int ones(int64_t n) {
  return Int::pow2(n) - Int(1);
}
UOp masked(UOp x, const Int& mask) {
  return x & x.ufix(Scalar(mask));
}
UOp ored(UOp x, const Int& bits) {
  return x | x.ufix(Scalar(bits));
}

int64_t exponent_bias(DType d) {
  return (int64_t{1} << (finfo(d).exponent - 1)) - (dtypes::fp8_fnuz.contains(d) ? 0 : 1);
}

// The lowest n bits rounded off, ties to even.
UOp round_off(UOp v, int64_t n) {
  const UOp kept = shr(v, n);
  const UOp half = masked(shr(v, n - 1), 1);
  return kept + (half & (masked(v, ones(n - 1)).ne(Scalar(0)) | masked(shr(v, n), 1)));
}

UOp widen(UOp v, DType from, DType to) {
  const FloatInfo f = finfo(from), t = finfo(to);
  const int fs = bitsize(from), ts = bitsize(to);
  const int64_t fb = exponent_bias(from), tb = exponent_bias(to);
  const UOp sign = shl(masked(v, Int::pow2(fs - 1)).cast(bits_dtype(to)), ts - fs);
  const UOp nosign = masked(v, ones(fs - 1)).cast(bits_dtype(to));
  const UOp exp = shr(nosign, f.mantissa);
  const UOp norm = shl(nosign, t.mantissa - f.mantissa) + Scalar(Int(tb - fb) * Int::pow2(t.mantissa));
  const Int infinity = ones(t.exponent) * Int::pow2(t.mantissa);
  const UOp nan = ored(shl(nosign, t.mantissa - f.mantissa), infinity);
  if (dtypes::fp8_fnuz.contains(from)) {
    const UOp is_nan = sign.ne(Scalar(0)) & nosign.eq(Scalar(0));
    const Int quiet = infinity | Int::pow2(t.mantissa - 1);
    const UOp value = sign | lt(exp, Scalar(std::max<int64_t>(fb - tb, 0) + 1)).where(Scalar(0), norm);
    return is_nan.where(Scalar(quiet), value).bitcast(to);
  }
  const UOp is_nan =
      from == DType::fp8e4m3 ? nosign.eq(Scalar(ones(f.mantissa + f.exponent))) : exp.eq(Scalar(ones(f.exponent)));
  return (sign | exp.eq(Scalar(0)).where(Scalar(0), is_nan.where(nan, norm))).bitcast(to);
}

UOp narrow(UOp bits, DType from, DType to) {
  const FloatInfo f = finfo(from), t = finfo(to);
  const int fs = bitsize(from), ts = bitsize(to);
  const int64_t fb = exponent_bias(from), tb = exponent_bias(to);
  const DType out = bits_dtype(to);
  const UOp v = clamp_to_float(bits.bitcast(from), to).bitcast(bits_dtype(from));
  const UOp sign = masked(shr(v, fs - ts), Int::pow2(ts - 1));
  const UOp nosign = masked(v, ones(fs - 1));
  const UOp norm =
      (round_off(nosign, f.mantissa - t.mantissa) - Scalar(Int(fb - tb) * Int::pow2(t.mantissa))).cast(out);
  const UOp underflow = lt(masked(shr(v, f.mantissa), ones(f.exponent)), Scalar(1 + fb - tb));
  const UOp nan_sign = to == DType::fp8e4m3 ? ored(sign, ones(t.mantissa))
                                            : sign | masked(shr(nosign, f.mantissa - t.mantissa), ones(t.mantissa));
  const UOp nan = ored(nan_sign, ones(t.exponent) * Int::pow2(t.mantissa)).cast(out);
  const UOp is_nan = masked(shr(v, f.mantissa), ones(f.exponent)).eq(Scalar(ones(f.exponent)));
  if (dtypes::fp8_fnuz.contains(to))
    return is_nan.where(Scalar(Int::pow2(ts - 1)), underflow.where(Scalar(0), sign.cast(out) | norm));
  return is_nan.where(nan, sign.cast(out) | underflow.where(Scalar(0), norm));
}

UOp decomposed(UOp u, FloatDecomp& context) {
  return graph_rewrite(u, pm_float_decomp(), {.context = &context, .bottom_up = true});
}

// The i-th element behind an index.
UOp reindex(UOp idx, int64_t i) {
  if (idx.is(Op::SHRINK)) {
    const UOp at = idx.src(1) + Scalar(i);
    return idx.store().make(Op::INDEX, idx.dtype(), {idx.src(0), at}, idx.arg(), idx.tag());
  }
  UOps srcs(idx.srcs().begin(), idx.srcs().end());
  srcs.at(1) = srcs.at(1) * Scalar(1) + Scalar(i);
  return idx.with_srcs(srcs);
}

UOp load_with(UOp idx, UOp load) {
  UOps srcs{idx};
  srcs.insert(srcs.end(), load.srcs().begin() + 1, load.srcs().end());
  return idx.store().make(Op::LOAD, srcs);
}

UOp load_bits(const Match& m) {
  auto& ctx = m.context<FloatDecomp>();
  const UOp x = m[captures::x];
  if (x.dtype() != ctx.from) return {};
  const UOp idx = decomposed(x.src(0), ctx);
  const int64_t n = x.max_numel();
  if (n == 1) return convert_float_bits(load_with(idx, x), ctx.from, ctx.to);
  UOps parts;
  for (int64_t i = 0; i < n; ++i) parts.push_back(convert_float_bits(load_with(reindex(idx, i), x), ctx.from, ctx.to));
  return m.store().make(Op::STACK, parts);
}

UOp store_bits(const Match& m) {
  const auto& ctx = m.context<FloatDecomp>();
  const UOp st = m[captures::st], val = m[captures::val];
  if (val.dtype() != ctx.to) return {};
  const UOp idx = m[captures::idx].is(Op::CAST) ? m[captures::idx].src(0) : m[captures::idx];
  if (idx.tag() != Arg(ctx.from)) return {};
  const auto bits_of = [&](UOp v) { return convert_float_bits(v.bitcast(bits_dtype(ctx.to)), ctx.to, ctx.from); };
  const int64_t n = val.max_numel();
  if (n == 1) return st.with_srcs({idx, bits_of(val)});
  UOps parts;
  for (int64_t i = 0; i < n; ++i)
    parts.push_back(st.with_srcs({reindex(idx, i), bits_of(val.index({m.store().constant(i)}))}));
  return m.store().group(parts);
}

UOp compute_wider(const Match& m) {
  auto& ctx = m.context<FloatDecomp>();
  const UOp x = m[captures::x];
  if (x.dtype() != ctx.from) return {};
  UOps srcs;
  // Which accesses to a buffer come first concerns its bits. (The reference widens an accumulator like a value, and
  // then refuses its own graph.)
  if (x.is(Op::AFTER) && x.without_after().in(groups::Defines)) {
    srcs.assign(x.srcs().begin(), x.srcs().end());
    srcs[0] = decomposed(x.src(0), ctx);
    return m.store().make(x.op(), srcs, x.arg(), Arg(ctx.from));
  }
  for (const UOp s : x.srcs()) srcs.push_back(s.dtype() == ctx.from ? s.cast(ctx.to) : s);
  return m.store().make(x.op(), srcs, x.arg(), x.tag());
}

UOp storage_of_bits(const Match& m) {
  const auto& ctx = m.context<FloatDecomp>();
  const UOp x = m[captures::x];
  if (x.dtype() != ctx.from) return {};
  ParamArg p = x.arg().as<ParamArg>();
  p.dtype = bits_dtype(ctx.from);
  return m.store().make(x.op(), x.srcs(), Arg(std::move(p)), Arg(ctx.from));
}

UOp index_of_bits(const Match& m) {
  auto& ctx = m.context<FloatDecomp>();
  const UOp x = m[captures::x];
  if (x.dtype() != ctx.from || (x.is(Op::INDEX) && x.src(0).in(OpSet{Op::LOAD, Op::STACK}))) return {};
  UOps srcs(x.srcs().begin(), x.srcs().end());
  srcs[0] = decomposed(x.src(0), ctx);
  return m.store().make(x.op(), srcs, x.arg(), Arg(ctx.from));
}

}  // namespace

DType bits_dtype(DType dtype) {
  switch (bitsize(dtype)) {
    case 8:
      return DType::uint8;
    case 16:
      return DType::uint16;
    case 32:
      return DType::uint32;
    default:
      return DType::uint64;
  }
}

double largest_float(DType dtype) {
  const FloatInfo f = finfo(dtype);
  int64_t max_exponent = (int64_t{1} << f.exponent) - 1, max_mantissa = (int64_t{1} << f.mantissa) - 1;
  if (dtype == DType::fp8e4m3)
    --max_mantissa;
  else if (!dtypes::fp8_fnuz.contains(dtype))
    --max_exponent;
  return std::ldexp(1.0, static_cast<int>(max_exponent - exponent_bias(dtype))) *
         (1.0 + static_cast<double>(max_mantissa) / static_cast<double>(int64_t{1} << f.mantissa));
}

UOp clamp_to_float(UOp value, DType dtype) {
  const UOp mx = value.const_like(Scalar(largest_float(dtype)));
  const UOp beyond =
      dtypes::fp8s.contains(dtype) ? mx : value.const_like(Scalar(std::numeric_limits<double>::infinity()));
  return value.ne(value).where(value, lt(value, -mx).where(-beyond, lt(mx, value).where(beyond, value)));
}

UOp convert_float_bits(UOp bits, DType from, DType to) {
  const FloatInfo f = finfo(from), t = finfo(to);
  if (f.exponent <= t.exponent && f.mantissa < t.mantissa) return widen(bits, from, to);
  if (f.exponent >= t.exponent && f.mantissa > t.mantissa) return narrow(bits, from, to);
  throw GraphError(fmt::format("{} cannot be emulated by {}", dtype_name(from), dtype_name(to)));
}

const RuleSet& pm_float_decomp() {
  using namespace captures;
  static const RuleSet rules(
      "pm_float_decomp",
      {
          {"store-float-as-bits", "a buffer of the emulated float holds its bits", "codegen/decomp/dtype.py:171",
           pat(groups::Defines).named(x), storage_of_bits},
          {"index-float-bits", "indices into such a buffer reach its bits", "codegen/decomp/dtype.py:173",
           pat({Op::INDEX, Op::SHRINK}).named(x), index_of_bits},
          {"load-float-bits", "a load widens the bits that it reads", "codegen/decomp/dtype.py:176",
           pat(Op::LOAD).with_dtype(dtypes::floats).named(x), load_bits},
          {"bitcast-loaded-float", "a bitcast of a load takes the bits as they are", "codegen/decomp/dtype.py:178",
           pat(Op::BITCAST, {pat(Op::LOAD).named(ld)}).named(bc),
           [](const Match& m) {
             auto& ctx = m.context<FloatDecomp>();
             if (m[ld].dtype() != ctx.from) return UOp{};
             return load_with(decomposed(m[ld].src(0), ctx), m[ld]).bitcast(m[bc].dtype());
           }},
          {"bitcast-from-float", "the bits of a value are those of its narrow form", "codegen/decomp/dtype.py:181",
           pat(Op::BITCAST, {var(x, dtypes::floats)}).named(bc),
           [](const Match& m) {
             const auto& ctx = m.context<FloatDecomp>();
             if (m[x].dtype() != ctx.to || bitsize(m[bc].dtype()) != bitsize(ctx.from)) return UOp{};
             return m[bc].with_srcs({convert_float_bits(m[x].bitcast(bits_dtype(ctx.to)), ctx.to, ctx.from)});
           }},
          {"bitcast-to-float", "bits taken as the emulated float are widened", "codegen/decomp/dtype.py:184",
           pat(Op::BITCAST, {var(x)}).named(bc),
           [](const Match& m) {
             const auto& ctx = m.context<FloatDecomp>();
             if (m[bc].dtype() != ctx.from) return UOp{};
             return convert_float_bits(m[x].bitcast(bits_dtype(ctx.from)), ctx.from, ctx.to);
           }},
          {"cast-to-float", "a cast to the emulated float is one to the wider, within the range of the narrow",
           "codegen/decomp/dtype.py:186", pat(Op::CAST, {var(val)}).with_dtype(dtypes::floats).named(x),
           [](const Match& m) {
             const auto& ctx = m.context<FloatDecomp>();
             return m[x].dtype() == ctx.from ? clamp_to_float(m[val].cast(ctx.to), ctx.from) : UOp{};
           }},
          {"widen-float-constant", "a constant of the emulated float is one of the wider",
           "codegen/decomp/dtype.py:189", cvar(x, dtypes::floats),
           [](const Match& m) {
             const auto& ctx = m.context<FloatDecomp>();
             return m[x].dtype() == ctx.from ? m.store().constant(m[x].val(), ctx.to) : UOp{};
           }},
          {"compute-float-wider", "any other op computes with the wider float", "codegen/decomp/dtype.py:190",
           pat(groups::All - groups::Defines - OpSet{Op::CAST, Op::BITCAST, Op::CONST})
               .with_dtype(dtypes::floats)
               .named(x),
           compute_wider},
          {"store-bitcast-float", "a stored bitcast stores the bits as they are", "codegen/decomp/dtype.py:192",
           pat(Op::STORE, {var(idx), pat(Op::BITCAST).with_dtype(dtypes::floats).named(val)}).named(st),
           [](const Match& m) {
             const auto& ctx = m.context<FloatDecomp>();
             if (m[val].dtype() != ctx.from || m[idx].tag() != Arg(ctx.from)) return UOp{};
             return m[st].with_srcs({m[idx], m[val].src(0).bitcast(bits_dtype(ctx.from))});
           }},
          {"store-float-bits", "a store narrows the value to the bits that it writes", "codegen/decomp/dtype.py:194",
           pat(Op::STORE, {var(idx), var(val, dtypes::floats)}).named(st), store_bits},
      });
  return rules;
}

}  // namespace rangescope::codegen
