#pragma once
// The subcommands. Each returns an exit code (exit_code.h) and prints its own errors.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/checks/explain.h"
#include "engine/ir/error.h"

namespace rangescope::app {

// Programs of a file in the corpus's format, or an ONNX model (.onnx).
struct Input {
  std::string path;
  std::string name;  // only the program of this name, or NAME#N: its Nth, counted from 0; empty: all
  // Of a model: values of inputs, NAME=FILE.npy (.pb: a TensorProto); sizes of dimensions, NAME=N.
  std::vector<std::string> inputs, dims;
  // What parameters hold where programs are run: fill, random, random:SEED, a folder of .npy files, or such a file.
  std::vector<std::string> values;
};

struct ScheduleOptions {
  Input in;
  std::string out;  // empty: nothing is written but the summary
  bool stats = false;
  int repeat = 5;
};
int run_schedule(const ScheduleOptions& options);

struct SimplifyOptions {
  Input in;
  std::string out;
};
int run_simplify(const SimplifyOptions& options);

struct CodegenOptions {
  Input in;
  std::string out;
};
int run_codegen(const CodegenOptions& options);

// How kernels are run.
struct RunSettings {
  std::string device;  // name or number; empty: the best
  int repeat = 10;
  int warm_up = 2;
  bool device_profile = false;  // optimisations that suit the device, not the reference's
  int search = 0;               // width of a measured search over optimisations; 0: none
  int search_seconds = 60;      // most time of it, for each kernel
  bool mend = false;            // code that is right also where the reference's is not
};

struct RecordOptions {
  Input in;
  std::string out;
  bool run = false;
  std::vector<std::string> without, flags;  // rules that are off; settings, NAME=VALUE
  RunSettings settings;
};
int run_record(const RecordOptions& options);
// Of a Python script: every program that it computes, always with its kernels run.
bool is_script(const std::string& path);
int record_script(const RecordOptions& options);

struct RunOptions {
  Input in;
  std::string out;  // numbers in the corpus's format
  RunSettings settings;
  std::string save;     // the folder for what is written, as .npy
  bool verify = false;  // held against what the interpreter computes
};
int run_run(const RunOptions& options);

// One kernel of a trace alone, beside other ways to write it.
struct RunKernelOptions {
  std::string trace;
  std::string kernel;                      // its name; empty: the first
  int64_t item = 0;                        // of the schedule, instead
  std::vector<std::string> sources, opts;  // files of GLSL; optimisations as the memory of searches writes them
  std::vector<std::string> sizes;          // "r0=128 r1=64": extents of its ranges and values of its variables
  std::string values;                      // a folder for the contents of its buffers, as .npy
  std::string device;
  int repeat = 20;
  bool json = false;
};
int run_run_kernel(const RunKernelOptions& options);

struct DeviceOptions {
  std::string device;  // the one to measure; empty: the best
  bool json = false;
  bool measure = true;
};
int run_device(const DeviceOptions& options);

struct InfoOptions {
  std::string trace;
};
int run_info(const InfoOptions& options);

struct QueryOptions {
  std::string trace;
  std::string sql;
  std::string saved;  // name of a query that comes with the program, instead
  bool list = false;  // these queries
  bool json = false;
  int64_t rows = 10000;
  int64_t milliseconds = 10000;
};
int run_query(const QueryOptions& options);

struct SearchOptions {
  std::string trace;
  std::vector<std::string> words;
  bool json = false;
  int64_t rows = 100;  // of each kind
};
int run_search(const SearchOptions& options);

struct ProvenanceOptions {
  std::string trace;
  int64_t node = 0;
};
int run_provenance(const ProvenanceOptions& options);

struct PathologiesOptions {
  std::string trace;
  int64_t rows = 20;  // of each list
};
int run_pathologies(const PathologiesOptions& options);

struct ExportOptions {
  std::string trace;
  std::string out;  // its extension decides: svg, png, pdf, dot, json
  int64_t pass = 0;
  int64_t step = -1;  // -1: the last
  bool kernel_graph = false;
  bool no_times = false;
  bool times = false;    // the times instead of a picture: csv, or json for Perfetto
  bool animate = false;  // a pass, step by step: gif, webp or html
  int64_t from = 0, to = -1;
  bool dark = false;
};
int run_export(const ExportOptions& options);

struct ViewOptions {
  std::string trace;  // empty: an empty window
  int64_t pass = 0;
  int64_t step = -1;
  std::string screenshot;
  std::string panel;   // opened: search, query, pathologies, provenance or why
  std::string search;  // looked for
  int64_t node = 0;    // selected
  std::string diff;    // another trace, compared with it
  int lesson = 0;      // from 1
  bool lens = false, dark = false, follow = false;
};
int run_view(const ViewOptions& options);

struct VerifyCommandOptions {
  Input in;               // programs, or a trace (.rscope)
  bool recorded = false;  // what the file says of an earlier run, instead of scheduling
  bool every_match = false;
  bool all = false;  // a line for every pass
  int64_t elements = int64_t{1} << 24;
  int64_t work = 2'000'000'000;
  bool note = false;  // the result is noted in the trace, and the window opens at it
};
int run_verify(const VerifyCommandOptions& options);

struct CheckOptions {
  std::string trace;
  std::string expect;  // a file of expectations, one a line
};
int run_check(const CheckOptions& options);

struct ReduceOptions {
  Input in;           // one program
  std::string check;  // a shell command; the program's file stands for {} in it, or at its end
  std::string out;    // the smallest program found on which the check fails
  size_t checks = 2000;
  double seconds = 600;
};
int run_reduce(const ReduceOptions& options);

struct ValidateCommandOptions {
  std::string trace;
  bool quick = false;  // without rebuilding every pass
  int64_t most = 100;  // findings
};
int run_validate(const ValidateCommandOptions& options);

struct DiffOptions {
  std::string a, b;
  bool ignore_slots = false;
  bool times = false;  // of the kernels, instead of the rewrites
  bool json = false;
};
int run_diff(const DiffOptions& options);

struct RulesOptions {
  std::string trace;   // empty: no hits and times
  std::string set;     // only the rules of this set; empty: all
  bool fired = false;  // only those that fired in the trace
  bool json = false;
};
int run_rules(const RulesOptions& options);

int run_explain(const ExplainOptions& options);

}  // namespace rangescope::app
