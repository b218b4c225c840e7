#include "engine/onnx/operators.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/onnx/import.h"

namespace rangescope::onnx {

namespace {

std::string key_of(const std::string& domain, const std::string& name) {
  return domain + ':' + name;
}

const std::map<std::string, const Operator*>& table() {
  static const std::map<std::string, const Operator*> map = [] {
    std::map<std::string, const Operator*> m;
    for (const auto family :
         {constant_operators(), control_operators(), convolution_operators(), elementwise_operators(),
          index_operators(), loss_operators(), matmul_operators(), movement_operators(), normalisation_operators(),
          pooling_operators(), quantize_operators(), recurrent_operators(), reduce_operators(), resize_operators(),
          signal_operators(), training_operators()})
      for (const Operator& o : family)
        RS_CHECK(m.emplace(key_of(o.domain, o.name), &o).second, "an operator has one builder");
    return m;
  }();
  return map;
}

void count_unsupported(const std::vector<Node>& nodes, const std::set<std::string>& functions,
                       std::map<std::string, size_t>& counts) {
  for (const Node& n : nodes) {
    if (find_operator(n.domain, n.op) == nullptr && !functions.contains(key_of(n.domain, n.op)))
      ++counts[full_name(n.domain, n.op)];
    for (const Attribute& a : n.attributes)
      if (a.graph) count_unsupported(a.graph->nodes, functions, counts);
  }
}

}  // namespace

const Operator* find_operator(const std::string& domain, const std::string& name) {
  const auto it = table().find(key_of(domain, name));
  return it == table().end() ? nullptr : it->second;
}

std::string full_name(const std::string& domain, const std::string& name) {
  return domain.empty() ? name : domain + '.' + name;
}

std::map<std::string, size_t> unsupported_operators(const Model& model) {
  std::set<std::string> functions;
  std::map<std::string, size_t> counts;
  for (const Function& f : model.functions) functions.insert(key_of(f.domain, f.name));
  count_unsupported(model.graph.nodes, functions, counts);
  for (const Function& f : model.functions) count_unsupported(f.nodes, functions, counts);
  return counts;
}

}  // namespace rangescope::onnx
