// Random tensor graphs, scheduled with each flag, still compute what the evaluator says, and scheduling one twice gives
// the same bytes. A failure prints its seed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "engine/eval/compare.h"
#include "engine/eval/evaluate.h"
#include "engine/ir/call.h"
#include "engine/ir/dim.h"
#include "engine/ir/program.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::eval {
namespace {

// Values of a few shapes that are combined step by step; nothing is taken deeper than the list of what was made. No
// buffer has the shape (height, width, 4): that is an image, whose elements are read as floats whatever its dtype.
class Generator {
 public:
  Generator(Store& store, unsigned seed) : s_(store), rng_(seed) {}

  UOp program() {
    for (int i = 0; i < 3; ++i) made_.push_back(buffer(static_cast<int64_t>(i) + 1, random_shape()));
    for (int i = 0; i < 12; ++i) made_.push_back(step());
    UOps outputs;
    for (int64_t i = 0; i < 2; ++i) {
      const UOp value = made_[made_.size() - 1 - static_cast<size_t>(i)].flatten();
      const UOp out = buffer(10 + i, value.shape());
      outputs.push_back(out.after({out.store_value(value)}));
    }
    return s_.sink(outputs);
  }

 private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(rng_); }
  UOp any() { return made_[below(made_.size())]; }
  Shape random_shape() {
    Shape shape;
    for (size_t i = 1 + below(3); i-- > 0;) shape.emplace_back(static_cast<int64_t>(1 + below(3)));
    return shape;
  }
  UOp buffer(int64_t slot, const Shape& shape) {
    ParamArg arg;
    arg.slot = slot;
    arg.dtype = DType::int32;
    arg.device = Device::single("CPU");
    return param(s_, arg, &shape);
  }
  UOp number() { return s_.constant(Scalar(static_cast<int64_t>(below(7)) - 3), DType::int32); }

  UOp step() {
    const UOp x = any();
    const auto rank = static_cast<int64_t>(x.ndim());
    std::vector<std::pair<Dim, Dim>> pairs(x.ndim());
    switch (below(9)) {
      case 0:
        return x * number().broadcast_to(x.shape());
      case 1: {
        const UOp y = any();
        return y.shape() == x.shape() ? x + y : x + number().broadcast_to(x.shape());
      }
      case 2: {
        std::vector<int64_t> order;
        for (int64_t i = rank; i-- > 0;) order.push_back(i);
        return x.permute(order);
      }
      case 3: {
        for (auto& [before, after] : pairs) {
          before = Dim(static_cast<int64_t>(below(2)));
          after = Dim(static_cast<int64_t>(below(2)));
        }
        return x.pad(pairs);
      }
      case 4: {
        for (size_t i = 0; i < pairs.size(); ++i) {
          const int64_t size = x.shape()[i].value, from = static_cast<int64_t>(below(static_cast<size_t>(size)));
          pairs[i] = {Dim(from), Dim(from + 1 + static_cast<int64_t>(below(static_cast<size_t>(size - from))))};
        }
        return x.shrink(pairs);
      }
      case 5:
        return x.flip(std::vector<int64_t>{static_cast<int64_t>(below(x.ndim()))});
      case 6:
        return x.flatten().reshape({Dim(1), x.numel()});
      case 7: {
        if (rank < 2) return x.contiguous();
        constexpr Op kOps[] = {Op::ADD, Op::MAX, Op::MUL};
        return x.rop(kOps[below(3)], std::vector<int64_t>{static_cast<int64_t>(below(x.ndim()))});
      }
      default:
        return lt(x, number().broadcast_to(x.shape())).where(x, number().broadcast_to(x.shape()));
    }
  }

  Store& s_;
  std::mt19937 rng_;
  UOps made_;
};

using Flags = std::vector<std::pair<std::string, int64_t>>;

// Empty where all is well. The bytes of the whole run in `bytes`.
std::string check(unsigned seed, const Flags& flags, std::string& bytes) {
  const auto store = symbolic::make_store();
  Program program;
  program.name = fmt::format("random {}", seed);
  program.flags = flags;
  program.root = Generator(*store, seed).program();
  if (const char* path = std::getenv("RANGESCOPE_SAVE")) std::ofstream(path) << to_json(program) << "\n";
  const auto graph = evaluate(program.root, {});
  if (!graph) return "the graph is not evaluated: " + graph.error().message;
  schedule::schedule_program(program);
  bytes = to_json(program);
  if (program.error) return "refused: " + *program.error;
  if (program.schedule_error) return "refused: " + *program.schedule_error;
  const auto kernels = evaluate(program.kernel_graph, {});
  if (!kernels) return "the kernel graph is not evaluated: " + kernels.error().message;
  if (const auto d = difference(*graph, *kernels)) return "the kernel graph: " + d->text;
  const auto schedule = evaluate_schedule(*program.schedule, {});
  if (!schedule) return "the schedule is not evaluated: " + schedule.error().message;
  if (const auto d = difference(*graph, *schedule)) return "the schedule: " + d->text;
  return {};
}

TEST(RandomGraphs, ComputeTheSameWithEveryFlag) {
  const char* given = std::getenv("RANGESCOPE_SEED");
  const char* rounds = std::getenv("RANGESCOPE_ROUNDS");
  const unsigned first = given != nullptr ? static_cast<unsigned>(std::stoul(given)) : 1;
  const unsigned count = rounds != nullptr ? static_cast<unsigned>(std::stoul(rounds)) : 60;
  const Flags all[] = {
      {}, {{"SPLIT_REDUCEOP", 0}}, {{"PCONTIG", 2}}, {{"OPENPILOT_HACKS", 1}}, {{"MAX_KERNEL_BUFFERS", 3}}};
  for (unsigned seed = first; seed < first + count; ++seed)
    for (const Flags& flags : all) {
      std::string once, twice;
      const std::string wrong = check(seed, flags, once);
      ASSERT_EQ(wrong, "") << "RANGESCOPE_SEED=" << seed << (flags.empty() ? "" : " with " + flags[0].first);
      check(seed, flags, twice);
      ASSERT_EQ(once, twice) << "RANGESCOPE_SEED=" << seed << ": two runs differ";
    }
}

}  // namespace
}  // namespace rangescope::eval
