// Many random programs, each computed in several ways: ./dev bench fuzz.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <chrono>
#include <exception>
#include <fstream>

#include "app/session/execution.h"
#include "engine/symbolic/make_store.h"
#include "tests/fuzz/differential.h"
#include "tests/fuzz/random_program.h"

namespace {

struct Options {
  uint32_t seed = 1, programs = 2000;
  std::string device, save;
};

int run(const Options& o) {
  using namespace rangescope;
  app::RunSettings settings;
  settings.device = o.device;
  const auto device = app::open_device(settings);
  if (!device) {
    fmt::print(stderr, "{}\n", device.error().message);
    return 1;
  }
  fmt::print("{} programs from seed {} on {}\n", o.programs, o.seed, app::device_line(**device));
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < o.programs; ++i) {
    const uint32_t seed = o.seed + i;
    const auto store = symbolic::make_store();
    const Program program = fuzz::random_program(*store, seed);
    std::string text = fuzz::passes_differ(program);
    if (text.empty()) text = fuzz::device_differs(program, **device, seed % 2 == 1);
    if ((i + 1) % 100 == 0) {
      fmt::print("{} programs, {} wrong, {:.0f} s\n", i + 1, wrong, seconds());
      std::fflush(stdout);
    }
    if (text.empty()) continue;
    ++wrong;
    fmt::print("seed {}: {}\n", seed, text);
    std::fflush(stdout);
    if (!o.save.empty()) std::ofstream(fmt::format("{}/{}.jsonl", o.save, seed)) << to_json(program) << '\n';
  }
  fmt::print("{} programs, {} wrong, {:.0f} s\n", o.programs, wrong, seconds());
  return wrong == 0 ? 0 : 1;
}

int run_command(int argc, char** argv) {
  Options o;
  CLI::App app("Random programs, by the interpreter, after every pass, and on a Vulkan device");
  app.add_option("--seed", o.seed, "of the first program")->capture_default_str();
  app.add_option("--programs", o.programs)->capture_default_str();
  app.add_option("--device", o.device, "Vulkan device, by number or part of its name");
  app.add_option("--save", o.save, "write the programs that are wrong into this folder");
  CLI11_PARSE(app, argc, argv);
  return run(o);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
