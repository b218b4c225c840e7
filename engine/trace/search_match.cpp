// What of a name or a shape fits the words of a search.

#include "engine/trace/search_query.h"
#include "engine/trace/search_text.h"

namespace rangescope::trace {

namespace {

bool is_pattern(std::string_view s) {
  return s.find_first_of("*?") != std::string_view::npos;
}

}  // namespace

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Linear in the product of both lengths at worst, without recursion.
bool glob(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, back = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      back = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++back;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool NameTest::operator()(std::string_view name) const {
  return any_of({name});
}

bool NameTest::any_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const std::string n = lower(name);
    for (const std::string& wanted : any) {
      const bool holds = wanted.size() > 1 && wanted[0] == '=' ? n == std::string_view(wanted).substr(1)
                         : is_pattern(wanted)                  ? glob(wanted, n)
                                                               : n.find(wanted) != std::string::npos;
      if (holds) return !negated;
    }
  }
  return negated;
}

bool ShapeTest::operator()(const std::vector<int64_t>& shape) const {
  // like glob: the last `...` takes more whenever what follows it does not fit
  size_t p = 0, n = 0, rest = SIZE_MAX, back = 0;
  bool fits = true;
  while (n < shape.size()) {
    if (p < dims.size() && dims[p] == kRest) {
      rest = p++;
      back = n;
    } else if (p < dims.size() && (dims[p] == kAny || dims[p] == shape[n])) {
      ++p, ++n;
    } else if (rest != SIZE_MAX) {
      p = rest + 1;
      n = ++back;
    } else {
      fits = false;
      break;
    }
  }
  if (fits) {
    while (p < dims.size() && dims[p] == kRest) ++p;
    fits = p == dims.size();
  }
  return fits != negated;
}

}  // namespace rangescope::trace
