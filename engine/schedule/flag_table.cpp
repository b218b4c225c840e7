#include "engine/schedule/flag_table.h"

#include <algorithm>

namespace rangescope::schedule {

std::span<const FlagRow> flag_table() {
  static constexpr FlagRow k_rows[] = {
      {"SPLIT_REDUCEOP", &Flags::split_reduceop, "split a large reduce into two kernels"},
      {"REDUCEOP_SPLIT_THRESHOLD", &Flags::reduceop_split_threshold, "elements a result from which the split pays"},
      {"REDUCEOP_SPLIT_SIZE", &Flags::reduceop_split_size, "log2 of the most elements that the first half stores"},
      {"PCONTIG", &Flags::pcontig, "how far partial realization goes: 0 to 3"},
      {"FLOAT16", &Flags::float16, "see through casts to half"},
      {"OPENPILOT_HACKS", &Flags::openpilot_hacks, "fold moved AFTERs"},
      {"MAX_KERNEL_BUFFERS", &Flags::max_kernel_buffers, "most buffers of a kernel; 0: the device's own limit"},
      {"RING", &Flags::ring, "allreduce in a ring: 1 for large ones, 2 for all"},
      {"ALL2ALL", &Flags::all2all, "allreduce from all to all: 1 for large ones, 2 for all"},
      {"RING_ALLREDUCE_THRESHOLD", &Flags::ring_allreduce_threshold, "elements from which an allreduce is large"},
      {"ALLREDUCE_CAST", &Flags::allreduce_cast, "allreduce in the narrow dtype"},
      {"LATE_ALLREDUCE", &Flags::late_allreduce, "allreduce after the rest is scheduled"},
      {"NO_MEMORY_PLANNER", &Flags::no_memory_planner, "every internal buffer by itself"},
      {"SCACHE", &Flags::scache, "schedule equal functions once"},
      {"SPEC", &Flags::spec, "check the kernel graph"},
  };
  return k_rows;
}

const FlagRow* find_flag(std::string_view name) {
  const auto rows = flag_table();
  const auto it = std::ranges::find(rows, name, &FlagRow::name);
  return it == rows.end() ? nullptr : &*it;
}

}  // namespace rangescope::schedule
