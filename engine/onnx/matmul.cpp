// Products of matrices.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

Values matmul(Call& c) {
  const Tensor a = c.x(0), b = c.x(1);
  return {as_value(a.matmul(b).cast(a.dtype()))};
}

Values gemm(Call& c) {
  Tensor a = c.x(0), b = c.x(1);
  const DType dtype = a.dtype();
  if (c.integer("transA", 0) != 0) a = a.transpose();
  if (c.integer("transB", 0) != 0) b = b.transpose();
  const double alpha = c.number("alpha", 1.0), beta = c.number("beta", 1.0);
  Tensor y = a.matmul(b);
  if (alpha != 1) y = y * Scalar(alpha);
  if (c.has(2) && beta != 0) y = y + (beta == 1 ? c.x(2) : c.x(2) * Scalar(beta));
  return {as_value(y.cast(dtype))};
}

Values einsum(Call& c) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < c.count(); ++i) operands.push_back(c.x(i));
  std::string formula = c.text("equation", "");
  std::erase(formula, ' ');
  if (formula.find("->") == std::string::npos && formula.find("...") != std::string::npos) {
    // The result that is left out: what stands for several axes, then the letters that occur once, sorted.
    std::string letters;
    for (const char l : formula)
      if (std::isalpha(static_cast<unsigned char>(l)) != 0 && std::ranges::count(formula, l) == 1) letters += l;
    std::ranges::sort(letters);
    formula += "->..." + letters;
  }
  return {as_value(Tensor::einsum(formula, operands).cast(operands.at(0).dtype()))};
}

// By elimination without exchange of rows it would divide by zero; expansion along the first row does not, and is what
// small matrices need.
Tensor determinant(const Tensor& x, int64_t n) {
  const auto part = [](const Tensor& t, int64_t row, int64_t column) {
    return t.at({frontend::Ellipsis{}, row, column});
  };
  if (n == 1) return part(x, 0, 0);
  if (n == 2) return part(x, 0, 0) * part(x, 1, 1) - part(x, 0, 1) * part(x, 1, 0);
  std::optional<Tensor> sum;
  for (int64_t i = 0; i < n; ++i) {
    Ints columns;
    for (int64_t j = 0; j < n; ++j)
      if (j != i) columns.push_back(j);
    std::vector<std::optional<std::pair<Dim, Dim>>> below(x.ndim());
    below[x.ndim() - 2] = {Dim(1), Dim(n)};
    const Tensor rows = x.shrink(below);
    std::optional<Tensor> minor;
    for (const int64_t j : columns) {
      std::vector<std::optional<std::pair<Dim, Dim>>> column(x.ndim());
      column[x.ndim() - 1] = {Dim(j), Dim(j + 1)};
      const Tensor one = rows.shrink(column);
      minor = minor ? minor->cat({one}, -1) : one;
    }
    const Tensor term = part(x, 0, i) * determinant(*minor, n - 1);
    sum = !sum ? term : i % 2 == 0 ? *sum + term : *sum - term;
  }
  return *sum;
}

Values det(Call& c) {
  const Tensor x = c.x();
  if (x.ndim() < 2 || x.size(-1) != x.size(-2)) Call::refuse("it needs square matrices");
  const int64_t n = x.size(-1);
  if (n < 1 || n > 5) Call::refuse(fmt::format("of {} by {}: up to 5 by 5 are supported", n, n));
  return {as_value(determinant(x, n).cast(x.dtype()))};
}

}  // namespace

std::span<const Operator> matmul_operators() {
  static constexpr Operator kRows[] = {
      {"Det", det},
      {"Einsum", einsum},
      {"Gemm", gemm},
      {"MatMul", matmul},
  };
  return kRows;
}

}  // namespace rangescope::onnx
