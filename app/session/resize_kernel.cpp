#include "app/session/resize_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/ir/store.h"
#include "engine/ir/text.h"
#include "engine/ir/traversal.h"

namespace rangescope::app {

namespace {

constexpr int64_t kLargest = int64_t{1} << 31;

// An index: a sum of multiples and a constant.
struct Term {
  UOp of;  // null: the constant
  int64_t times = 0;
};

std::string name_of(UOp range) {
  return "r" + range_str(range);
}

bool is_variable(UOp u) {
  return u.is(Op::PARAM) && u.addrspace() == AddrSpace::ALU && u.arg().as<ParamArg>().name.has_value();
}

std::optional<int64_t> constant_of(UOp u) {
  if (!u.is_const() || u.is_invalid() || is_float(u.dtype())) return std::nullopt;
  return u.val().as_int().to_int64();
}

std::vector<Term> terms_of(UOp index) {
  std::vector<Term> out;
  std::vector<Term> open{{index, 1}};
  while (!open.empty()) {
    const auto [u, times] = open.back();
    open.pop_back();
    if (u.is(Op::ADD)) {
      open.insert(open.end(), {{u.src(1), times}, {u.src(0), times}});
    } else if (const auto c = constant_of(u)) {
      out.push_back({{}, times * *c});
    } else if (const auto by = u.is(Op::MUL) ? constant_of(u.src(1)) : std::nullopt) {
      open.push_back({u.src(0), times * *by});
    } else {
      out.push_back({u, times});
    }
  }
  return out;
}

// Where the elements lie when a range of `extent` becomes one of `now`: places that are a whole range apart, and rows
// of such, move apart as much.
class Places {
 public:
  Places(const std::vector<Term>& terms, UOp range, int64_t extent, int64_t now) {
    for (const Term& t : terms)
      if (t.of == range) step_ += t.times;
    for (const Term& t : terms)
      if (t.of && t.of != range && t.times >= step_ * extent && (row_ == 0 || t.times < row_)) row_ = t.times;
    if (row_ == 0) row_ = step_ * extent;
    new_row_ = row_ + step_ * (now - extent);
  }
  int64_t step() const { return step_; }
  int64_t moved(int64_t place) const { return place < row_ ? place : place + place / row_ * (new_row_ - row_); }

 private:
  int64_t step_ = 0, row_ = 0, new_row_ = 0;
};

// One range at a time.
class Resizer {
 public:
  Resizer(UOp range, int64_t extent, int64_t now) : range_(range), extent_(extent), now_(now) {}
  UOp resize(UOp ast);

 private:
  UOp made(UOp u) const {
    const auto it = made_.find(u.id());
    return it == made_.end() ? u : it->second;
  }
  UOp rebuilt(UOp u) const {
    UOps srcs(u.srcs().begin(), u.srcs().end());
    for (UOp& s : srcs) s = made(s);
    return std::ranges::equal(srcs, u.srcs()) ? u : u.with_srcs(srcs);
  }
  UOp index(UOp u);
  void reach(UOp buffer, int64_t elements);

  UOp range_;
  int64_t extent_, now_;
  std::unordered_map<uint32_t, UOp> made_;          // looked up, never iterated
  std::unordered_map<uint32_t, int64_t> elements_;  // that are reached of a buffer
};

UOp Resizer::index(UOp u) {
  if (u.src_count() != 2 || !u.src(1).in_backward_slice_with_self(range_)) {
    for (const UOp s : u.srcs().subspan(1))
      if (u.src_count() > 2 && s.in_backward_slice_with_self(range_))
        throw GraphError(fmt::format("{} stands in an index of several axes", name_of(range_)));
    return rebuilt(u);
  }
  const std::vector<Term> terms = terms_of(u.src(1));
  const Places places(terms, range_, extent_, now_);
  UOp sum;
  for (const Term& t : terms) {
    const bool other = t.of && t.of != range_ && t.of.in_backward_slice_with_self(range_);
    if (other || t.times < 0 || places.step() <= 0)
      throw GraphError(
          fmt::format("the size of {} cannot be changed: it stands in the index {} other than as a multiple",
                      name_of(range_), short_label(u.src(1))));
    const UOp by = u.store().constant(Scalar(places.moved(t.times)), u.src(1).dtype());
    const UOp term = !t.of ? by : places.moved(t.times) == 1 ? made(t.of) : made(t.of) * by;
    sum = sum ? sum + term : term;
  }
  return u.with_srcs({made(u.src(0)), sum});
}

void Resizer::reach(UOp buffer, int64_t elements) {
  if (elements > kLargest) throw GraphError("its buffers would be too large");
  int64_t& all = elements_[buffer.id()];
  all = std::max(all, elements);
}

UOp Resizer::resize(UOp ast) {
  const UOps order = toposort(ast);
  made_[range_.id()] = range_.with_srcs({ast.store().constant(Scalar(now_), range_.src(0).dtype())});
  for (const UOp u : order) {
    if (u == range_) continue;
    const UOp now = u.is(Op::INDEX) ? index(u) : rebuilt(u);
    if (now != u) made_[u.id()] = now;
  }
  const UOp moved = made(ast);
  // buffers that another place is reached of have as many elements as that takes
  for (const UOp u : order)
    if (u.is(Op::INDEX) && u.src_count() == 2 && made(u).src(1) != u.src(1))
      reach(u.src(0), made(u).src(1).vmax().to_int().to_int64().value_or(kLargest) + 1);
  for (const UOp u : order)
    if (u.is(Op::INDEX) && elements_.contains(u.src(0).id()) && made(u).src(1) == u.src(1))
      reach(u.src(0), u.src(0).max_numel());
  made_.clear();
  for (const UOp u : order)
    if (const auto n = elements_.find(u.id()); n != elements_.end()) {
      if (!u.is(Op::PARAM) || u.src_count() != 1 || !constant_of(u.src(0)))
        throw GraphError("a buffer of it is no plain stretch of memory");
      made_[u.id()] = u.with_srcs({u.store().constant(Scalar(n->second), u.src(0).dtype())});
    }
  for (const UOp u : toposort(moved))
    if (!made_.contains(u.id()))
      if (const UOp now = rebuilt(u); now != u) made_[u.id()] = now;
  return made(moved);
}

std::string names_in(UOp ast) {
  std::vector<std::string> names;
  for (const UOp u : toposort(ast))
    if (u.is(Op::RANGE) && constant_of(u.src(0)))
      names.push_back(fmt::format("{}={}", name_of(u), *constant_of(u.src(0))));
    else if (is_variable(u))
      names.push_back(*u.arg().as<ParamArg>().name);
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Null: a variable, whose value the launch takes.
UOp range_of(UOp ast, const std::string& name, int64_t size) {
  for (const UOp u : toposort(ast)) {
    if (is_variable(u) && *u.arg().as<ParamArg>().name == name) {
      const auto& bounds = u.arg().as<ParamArg>().bounds;
      const auto least = bounds ? bounds->first.to_int().to_int64() : std::nullopt;
      const auto most = bounds ? bounds->second.to_int().to_int64() : std::nullopt;
      if ((least && size < *least) || (most && size > *most))
        throw GraphError(
            fmt::format("{} is from {} to {}, {} is given", name, least.value_or(0), most.value_or(kLargest), size));
      return {};
    }
    if (!u.is(Op::RANGE) || name_of(u) != name) continue;
    if (u.arg().as_tuple().back() == Arg(AxisType::DEVICE))
      throw GraphError(name + " goes over devices: their number stays");
    if (!constant_of(u.src(0)))
      throw GraphError(fmt::format("{} goes up to {}, a variable: give that a value", name, short_label(u.src(0))));
    return u;
  }
  throw GraphError(fmt::format("the kernel has no size {}; it has {}", name, names_in(ast)));
}

}  // namespace

Result<Sizes> read_sizes(std::string_view text) {
  Sizes out;
  for (size_t at = 0; (at = text.find_first_not_of(" ,", at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(" ,", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const size_t equals = word.find('=');
    int64_t n = 0;
    const char* const last = word.data() + word.size();
    const auto [stop, error] = std::from_chars(equals == std::string_view::npos ? last : &word[equals] + 1, last, n);
    if (error != std::errc() || stop != last || equals == 0 || n < 1 || n > kLargest)
      return refuse(fmt::format("\"{}\" is no size: r0=128 makes the range r0 128 long", word));
    out[std::string(word.substr(0, equals))] = n;
    at = end;
  }
  return out;
}

Result<UOp> with_sizes(UOp ast, const Sizes& sizes) {
  try {
    for (const auto& [name, size] : sizes) range_of(ast, name, size);  // all of them are there
    for (const auto& [name, size] : sizes) {
      const UOp range = range_of(ast, name, size);
      const int64_t extent = range ? *constant_of(range.src(0)) : size;
      if (extent != size) ast = Resizer(range, extent, size).resize(ast);
    }
    return ast;
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

}  // namespace rangescope::app
