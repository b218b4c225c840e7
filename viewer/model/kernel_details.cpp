#include "viewer/model/kernel_details.h"

#include <QStringList>
#include <algorithm>
#include <map>
#include <utility>

#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "engine/trace/describe.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

constexpr qsizetype kMostOperations = 100000;
constexpr size_t kMostArgument = 80;

// A JSON array of node numbers.
std::vector<int64_t> numbersIn(std::string_view json) {
  std::vector<int64_t> out;
  int64_t value = -1;
  for (const char c : json)
    if (c >= '0' && c <= '9')
      value = std::min<int64_t>((value < 0 ? 0 : value) * 10 + (c - '0'), INT64_MAX / 100);
    else if (value >= 0)
      out.push_back(std::exchange(value, -1));
  return out;
}

// "  12  MUL        float32   8 11"
QString lineOf(UOp u, size_t place, const std::map<uint32_t, size_t>& places) {
  QStringList sources;
  for (const UOp s : u.srcs()) {
    const auto at = places.find(s.id());
    sources << (at != places.end() ? QString::number(at->second)
                                   : qtText(trace::one_line(short_label(s), kMostArgument)));
  }
  const QString argument = u.arg() == Arg() ? QString() : qtText(trace::one_line(to_string(u.arg()), kMostArgument));
  return QStringLiteral("%1  %2 %3 %4%5")
      .arg(place, 4)
      .arg(qtText(std::string(op_name(u.op()))), -12)
      .arg(qtText(std::string(dtype_name(u.dtype()))), -10)
      .arg(sources.join(QLatin1Char(' ')), -16)
      .arg(argument.isEmpty() ? QString() : QStringLiteral("  ") + argument);
}

QString sizesOf(UOp ast) {
  QStringList sizes;
  for (const UOp u : toposort(ast)) {
    if (u.is(Op::RANGE) && u.src(0).is_const())
      sizes << qtText("r" + range_str(u)) + QLatin1Char('=') + qtText(short_label(u.src(0)));
    else if (u.is(Op::PARAM) && u.addrspace() == AddrSpace::ALU && u.arg().as<ParamArg>().name)
      sizes << qtText(*u.arg().as<ParamArg>().name);
  }
  sizes.sort();
  return sizes.join(QLatin1Char(' '));
}

}  // namespace

Result<KernelDetails> kernelDetails(trace::Reader& reader, int64_t kernel) {
  auto row = reader.database().prepare("SELECT coalesce(ast, 0), coalesce(linear, '') FROM kernels WHERE id = ?");
  if (!row) return tl::unexpected(row.error());
  row->bind(1, kernel);
  const auto there = row->step();
  if (!there) return tl::unexpected(there.error());
  if (!*there) return refuse("the trace has no such kernel");
  KernelDetails d;
  const std::vector<int64_t> numbers = numbersIn(row->text(1));
  std::map<uint32_t, size_t> places;
  QStringList lines;
  for (size_t i = 0; i < numbers.size() && lines.size() < kMostOperations; ++i) {
    const auto u = reader.node(numbers[i]);
    if (!u) return tl::unexpected(u.error());
    lines << lineOf(*u, i, places);
    places.emplace(u->id(), i);
  }
  d.operations = lines.join(QLatin1Char('\n'));
  if (const int64_t ast = row->integer(0); ast != 0) {
    const auto u = reader.node(ast);
    if (!u) return tl::unexpected(u.error());
    d.sizes = sizesOf(*u);
  }
  return d;
}

QString languageOf(const QString& source) {
  // what one language alone has, the surest first
  static const std::pair<const char*, const char*> kMarks[] = {{"#version", "GLSL"},   {"metal_stdlib", "Metal"},
                                                               {"__kernel", "OpenCL"}, {"__global__", "CUDA"},
                                                               {"@compute", "WGSL"},   {"define void", "LLVM"},
                                                               {".visible", "PTX"},    {"void main()", "GLSL"},
                                                               {"#include", "C"},      {"void ", "C"}};
  for (const auto& [mark, language] : kMarks)
    if (source.contains(QLatin1String(mark))) return QLatin1String(language);
  return QStringLiteral("Source");
}

}  // namespace rangescope::viewer
