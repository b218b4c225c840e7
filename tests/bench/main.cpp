#include <benchmark/benchmark.h>

#include "app/keep_memory.h"

int main(int argc, char** argv) {
  rangescope::app::keep_memory();  // as the program does: page faults are no part of what is measured
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
