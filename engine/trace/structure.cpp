#include "engine/trace/structure.h"

#include <unordered_map>

#include "engine/ir/json.h"
#include "engine/trace/node_blocks.h"

namespace rangescope::trace {

namespace {

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ULL;
  return h ^ (h >> 29);
}

// The text of an argument is not: one writer has 1e-5 where another has 1e-05.
uint64_t hash_of_text(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix(h, text.size());
}

class Arguments {
 public:
  Arguments(NodeBlocks& nodes, bool ignore_slots) : nodes_(nodes), ignore_slots_(ignore_slots) {}
  Result<uint64_t> hash(int64_t id) {
    if (id == 0) return 0;
    if (const auto it = known_.find(id); it != known_.end()) return it->second;
    const auto arg = nodes_.arg(id);
    if (!arg) return tl::unexpected(arg.error());
    return known_[id] = hash_of_text(to_json(ignore_slots_ ? without_slot(**arg) : **arg));
  }

 private:
  static Arg without_slot(const Arg& arg) {
    const auto* p = arg.get_if<ParamArg>();
    if (p == nullptr) return arg;
    ParamArg without = *p;
    without.slot = 0;
    return Arg(std::move(without));
  }

  NodeBlocks& nodes_;
  bool ignore_slots_;
  std::unordered_map<int64_t, uint64_t> known_;  // looked up, never iterated
};

}  // namespace

Result<std::vector<uint64_t>> structure_of_nodes(Reader& reader, bool ignore_slots,
                                                 const std::function<bool(double)>& progress) {
  NodeBlocks nodes(reader.database(), reader.store());
  nodes.set_node_count(reader.node_count());
  Arguments args(nodes, ignore_slots);
  std::vector<uint64_t> out(static_cast<size_t>(reader.node_count()) + 1, 0);
  for (size_t n = 1; n < out.size(); ++n) {
    if (progress && n % 4096 == 0 && !progress(static_cast<double>(n) / static_cast<double>(out.size())))
      return tl::unexpected(Error{"stopped."});
    const auto p = nodes.packed(static_cast<int64_t>(n));
    if (!p) return tl::unexpected(p.error());
    const auto arg = args.hash((*p)->arg), tag = args.hash((*p)->tag);
    if (!arg) return tl::unexpected(arg.error());
    if (!tag) return tl::unexpected(tag.error());
    uint64_t h = mix(static_cast<uint64_t>((*p)->op) + 1, static_cast<uint64_t>((*p)->dtype) + 1);
    h = mix(mix(h, *arg), *tag + 0x5bd1e995);
    for (const int64_t s : (*p)->srcs) h = mix(h, out[static_cast<size_t>(s)]);
    out[n] = mix(h, (*p)->srcs.size());
  }
  return out;
}

}  // namespace rangescope::trace
