#include "engine/trace/pattern_json.h"

#include "engine/ir/json.h"

namespace rangescope::trace {

namespace {

const char* sources_name(Sources s) {
  switch (s) {
    case Sources::Exact:
      return "exact";
    case Sources::Permuted:
      return "permuted";
    case Sources::Repeated:
      return "repeated";
    case Sources::AnyOf:
      return "any_of";
    case Sources::Any:
      break;
  }
  return nullptr;
}

// The depth is that of a rule's pattern, which its author wrote.
void append(std::string& out, const Pat& pattern) {
  const PatternNode& n = pattern.node();
  bool first = true;
  const auto key = [&](const char* name) {
    out += first ? "{\"" : ",\"";
    out += name;
    out += "\":";
    first = false;
  };
  const auto names = [&](const auto& set, auto name_of) {
    bool any = false;
    out += '[';
    for (const auto item : set) {
      out += any ? ",\"" : "\"";
      out += name_of(item);
      out += '"';
      any = true;
    }
    out += ']';
  };
  if (!n.ops.empty()) {
    key("ops");
    names(n.ops, op_name);
  }
  if (n.dtypes) {
    key("dtypes");
    names(*n.dtypes, dtype_name);
  }
  if (n.arg) {
    key("arg");
    append_json(out, *n.arg);
  }
  if (n.tags) {
    key("tags");
    append_json(out, Arg(Arg::Tuple(*n.tags)));
  }
  if (n.name) {
    key("name");
    out += '"' + std::string(capture_name(*n.name)) + '"';
  }
  if (const char* mode = sources_name(n.sources)) {
    key("sources");
    out += '"' + std::string(mode) + '"';
    key("src");
    out += '[';
    for (size_t i = 0; i < n.src.size(); ++i) {
      if (i > 0) out += ',';
      append(out, n.src[i]);
    }
    out += ']';
  }
  if (n.any_length) {
    key("any_length");
    out += "true";
  }
  out += first ? "{}" : "}";
}

}  // namespace

std::string pattern_json(const Pat& pattern) {
  std::string out;
  append(out, pattern);
  return out;
}

}  // namespace rangescope::trace
