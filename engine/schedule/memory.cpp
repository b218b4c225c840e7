#include "engine/schedule/memory.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "engine/ir/call.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/tlsf.h"

namespace rangescope::schedule {

namespace {

constexpr int64_t kBlockSize = 256;

int64_t round_up(int64_t n) {
  return (n + kBlockSize - 1) / kBlockSize * kBlockSize;
}

void collect_bufs(UOp arg, UOps& bufs) {
  UOps stack{arg};
  while (!stack.empty()) {
    const UOp u = stack.back();
    stack.pop_back();
    if (u.is(Op::BUFFER)) bufs.push_back(u);
    if (u.in({Op::MSELECT, Op::MSTACK})) stack.insert(stack.end(), u.srcs().rbegin(), u.srcs().rend());
  }
}

// Devices without views of a buffer keep every buffer by itself.
bool has_views(const Device& device) {
  return !device.is_none() && std::ranges::none_of(device.names, [](std::string_view d) {
    return d.starts_with("DISK") || d.starts_with("TINYFS") || d.starts_with("CL") || d.starts_with("WEBGPU");
  });
}

// A buffer and the calls, by number, during which it must keep its contents.
struct Life {
  UOp buf;
  size_t first, last;
  bool copied = false;
  size_t lane = 0;
  int64_t offset = 0;

  int64_t bytes() const { return buf.max_numel() * itemsize(buf.dtype()); }
  // What is copied is kept as long again, so that a copy does not wait for computing and the other way around.
  size_t end() const { return last + 1 + (copied ? last - first + 1 : 0); }
};

std::vector<Life> lifetimes(UOp linear, std::span<const UOp> held) {
  std::vector<Life> lives;
  std::unordered_map<uint32_t, size_t> index;  // looked up, never iterated
  Marks keep(linear.store());
  for (const UOp h : held) keep.insert(h);
  for (size_t i = 0; i < linear.src_count(); ++i) {
    const UOp step = linear.src(i);
    UOps bufs;
    for (const UOp arg : step.srcs().subspan(1)) collect_bufs(arg, bufs);
    for (const UOp b : bufs) {
      if (keep.contains(b) || !has_views(b.device())) continue;
      const auto [it, fresh] = index.try_emplace(b.id(), lives.size());
      if (fresh) lives.push_back({b, i, i});
      lives[it->second].last = i;
      if (step.src(0).is(Op::COPY)) lives[it->second].copied = true;
    }
  }
  return lives;
}

// Copies and computing of a device are planned apart, so that they do not wait for each other's memory.
struct Lane {
  Device device;
  bool copied;
  int64_t peak = 0;
  TlsfAllocator allocator;
};

struct Event {
  size_t at;
  bool open;
  size_t life;
};

std::vector<Lane> place(std::vector<Life>& lives) {
  std::vector<Event> events;
  int64_t total = 0;
  for (size_t i = 0; i < lives.size(); ++i) {
    events.push_back({lives[i].first, true, i});
    total += round_up(lives[i].bytes());
  }
  for (size_t i = 0; i < lives.size(); ++i) events.push_back({lives[i].end(), false, i});
  // at one time what ends comes before what begins
  std::ranges::stable_sort(events, [](const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : static_cast<int>(a.open) < static_cast<int>(b.open);
  });
  std::vector<Lane> lanes;
  for (const Event& e : events) {
    Life& life = lives[e.life];
    if (!e.open) {
      lanes[life.lane].allocator.free(life.offset);
      continue;
    }
    const auto lane = std::ranges::find_if(
        lanes, [&](const Lane& l) { return l.copied == life.copied && l.device == life.buf.device(); });
    life.lane = static_cast<size_t>(lane - lanes.begin());
    if (lane == lanes.end())
      lanes.push_back({life.buf.device(), life.copied, 0, TlsfAllocator(total * 2, kBlockSize, 32)});
    Lane& own = lanes[life.lane];
    const std::optional<int64_t> offset = own.allocator.alloc(round_up(life.bytes()));
    RS_CHECK(offset.has_value(), "an arena of twice all buffers has room for each");
    life.offset = *offset;
    own.peak = std::max(own.peak, life.offset + life.bytes());
  }
  return lanes;
}

}  // namespace

UOp memory_plan_rewrite(UOp linear, std::span<const UOp> held) {
  Store& store = linear.store();
  if (flags(store).no_memory_planner != 0) return linear;
  std::vector<Life> lives = lifetimes(linear, held);
  if (lives.empty()) return linear;
  const std::vector<Lane> lanes = place(lives);
  UOps arenas;
  for (const Lane& lane : lanes) arenas.push_back(new_buffer(store, lane.device, round_up(lane.peak), DType::int8));
  NodeMap replace;
  for (const Life& life : lives) {
    const std::pair<Dim, Dim> part[] = {{Dim(life.offset), Dim(life.offset + life.bytes())}};
    replace.set(life.buf, arenas[life.lane].shrink(part).bitcast(life.buf.dtype()));
  }
  return substitute(linear, replace, {.name = "memory plan", .walk = true});
}

}  // namespace rangescope::schedule
