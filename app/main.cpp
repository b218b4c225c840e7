// The command line. Everything it does is a library call of engine, or done by the window's program.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/exit_code.h"
#include "app/models/models.h"
#include "app/window_commands.h"

namespace {

using namespace rangescope::app;

void add_input(CLI::App* command, Input& in) {
  command->add_option("IN", in.path, "programs, .jsonl or .jsonl.gz, or an ONNX model, .onnx")->required();
  command->add_option("--name", in.name,
                      "only the program of this name (NAME#N: its Nth, from 0, as the reports count)");
  command->add_option("--input", in.inputs, "value of a model's input: NAME=FILE.npy")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--dim", in.dims, "size of a model's open dimension: NAME=N, or INPUT:AXIS=N")
      ->take_all()
      ->allow_extra_args(false);
}

void add_run_settings(CLI::App* command, Input& in, RunSettings& settings) {
  command
      ->add_option(
          "--values", in.values,
          "what parameters hold: fill (the corpus's numbers; what is not given), random, random:SEED, a folder "
          "of .npy files, p0.npy for the parameter in slot 0 (of a model: by the input's name), or one such "
          "file")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--device", settings.device, "Vulkan device, by number or part of its name");
  command->add_option("--repeat", settings.repeat, "timed repeats")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command
      ->add_option("--warm-up", settings.warm_up,
                   "untimed repeats before them, besides the first run, which gives the values")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_flag("--device-profile", settings.device_profile,
                    "optimise kernels as suits the device; otherwise as the reference does, which is made for GPUs");
  command
      ->add_option("--search", settings.search,
                   "time kernels with other optimisations and take the fastest; a beam of this width. What is found is "
                   "kept beside the compiled pipelines")
      ->check(CLI::Range(0, 64));
  command->add_flag("--mend", settings.mend,
                    "generate code that computes what the graph means also where the reference's does not: sums over "
                    "stages in shared memory, with PCONTIG above 1");
  command->add_option("--search-seconds", settings.search_seconds, "most time of the search, for each kernel")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
}

int run(int argc, char** argv) {
  CLI::App app("Rangescope: watch a tensor compiler think");
  app.require_subcommand(1);
  app.set_version_flag("--version", RANGESCOPE_VERSION);
  app.footer(
      "Exit codes: 0 done, 1 not done (the message says why), 2 the command line was not understood, 3 some programs "
      "failed.");
  int code = kOk;

  ScheduleOptions schedule;
  CLI::App* c = app.add_subcommand("schedule", "schedule programs, with every pass and match");
  add_input(c, schedule.in);
  c->add_option("-o,--output", schedule.out, "write programs with their passes, matches and kernels here (.jsonl)");
  c->add_flag("--stats", schedule.stats, "print a JSON object a program: input_nodes, matches, best_ms, median_ms");
  c->add_option("--repeat", schedule.repeat, "unobserved runs behind --stats")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  c->callback([&] { code = run_schedule(schedule); });

  SimplifyOptions simplify;
  c = app.add_subcommand("simplify", "simplify expressions");
  add_input(c, simplify.in);
  c->add_option("-o,--output", simplify.out, "write them here (.jsonl)")->required();
  c->callback([&] { code = run_simplify(simplify); });

  CodegenOptions codegen;
  c = app.add_subcommand("codegen", "generate code for kernels, with every pass and match");
  add_input(c, codegen.in);
  c->add_option("-o,--output", codegen.out, "write them here (.jsonl)")->required();
  c->callback([&] { code = run_codegen(codegen); });

  RecordOptions record;
  c = app.add_subcommand(
      "record", "schedule a program, the one of a trace again, or run a Python script, and record every rewrite");
  add_input(c, record.in);
  c->add_option("-o,--output", record.out, "the trace (.rscope)")->required();
  c->add_flag("--run", record.run, "also generate its kernels, run them on Vulkan and record their times");
  c->add_option("--without", record.without, "switch this rule off; `rangescope rules` lists them")
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("--flag", record.flags, "a setting of the scheduler, beside those of the program: PCONTIG=2")
      ->take_all()
      ->allow_extra_args(false);
  add_run_settings(c, record.in, record.settings);
  c->callback([&] { code = run_record(record); });

  RunOptions run;
  c = app.add_subcommand("run", "run programs on Vulkan");
  add_input(c, run.in);
  c->add_option("-o,--output", run.out, "write the buffers' numbers here (.jsonl)");
  c->add_option(
      "--save", run.save,
      "write what the kernels write into this folder: p0.npy for the parameter in slot 0; a model's outputs as "
      "NAME.npy");
  c->add_flag(
      "--verify", run.verify,
      "hold the outputs against what the interpreter computes; where they differ, name the first kernel that is "
      "wrong");
  add_run_settings(c, run.in, run.settings);
  c->callback([&] { code = run_run(run); });

  RunKernelOptions kernel;
  c = app.add_subcommand(
      "run-kernel",
      "one kernel of a trace on what the program computes up to it, beside edited GLSL, other optimisations or sizes");
  c->add_option("TRACE", kernel.trace, "a .rscope file")->required();
  c->add_option("--kernel", kernel.kernel, "its name; the first of the trace where left out");
  c->add_option("--item", kernel.item, "number of an item of the schedule instead")->check(CLI::PositiveNumber);
  c->add_option("--source", kernel.sources, "a file of GLSL, timed beside it")->take_all()->allow_extra_args(false);
  c->add_option("--opts", kernel.opts, "optimisations, timed beside it: UPCAST:0:4 LOCAL:0:16; none: \"\"")
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("--size", kernel.sizes, "other sizes, timed beside it on buffers of their own: \"r0=128 r1=64\"")
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("--values", kernel.values, "write what its buffers hold after it into this folder, as .npy");
  c->add_option("--device", kernel.device, "Vulkan device, by number or part of its name");
  c->add_option("--repeat", kernel.repeat, "timed repeats of each")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  c->add_flag("--json", kernel.json, "as JSON");
  c->callback([&] { code = run_run_kernel(kernel); });

  VerifyCommandOptions verify;
  c = app.add_subcommand("verify", "evaluate every pass before and after, and find the match that changes a value");
  c->add_option("IN", verify.in.path, "programs, .jsonl or .jsonl.gz, or a trace, .rscope")->required();
  c->add_option("--name", verify.in.name,
                "only the program of this name (NAME#N: its Nth, from 0, as the reports count)");
  c->add_flag("--recorded", verify.recorded, "check the passes that the programs' file holds; otherwise schedule anew");
  c->add_flag("--every-match", verify.every_match, "also evaluate after every match of passes whose ends agree");
  c->add_flag("--all", verify.all, "a line for every pass");
  c->add_flag("--note", verify.note, "note the result in the trace: the window then opens at the rewrite to blame");
  c->add_option("--elements", verify.elements, "most elements of one value")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->add_option("--work", verify.work, "most element operations of one evaluation")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->callback([&] { code = run_verify(verify); });

  CheckOptions check;
  c = app.add_subcommand("check",
                         "hold a trace against expectations: counts of kernels, passes, matches, firings, or SQL");
  c->add_option("TRACE", check.trace, "a .rscope file")->required();
  c->add_option("--expect", check.expect,
                "a file with an expectation a line, such as: kernels = 11; pass multi_pm matches <= 3; "
                "rule remove-bufferize fired > 0; SELECT count(*) FROM errors = 0. # begins a comment")
      ->required();
  c->callback([&] { code = run_check(check); });

  ReduceOptions reduce;
  c = app.add_subcommand("reduce", "shrink a program that a check fails on to a small one that it still fails on");
  add_input(c, reduce.in);
  c->add_option(
       "--check", reduce.check,
       "a shell command that fails (exits with anything but 0) on the program: {} in it stands for the program's "
       "file, which otherwise goes to its end")
      ->required();
  c->add_option("-o,--output", reduce.out, "write the small program here (.jsonl); stdout otherwise");
  c->add_option("--checks", reduce.checks, "most runs of the check")->check(CLI::PositiveNumber)->capture_default_str();
  c->add_option("--seconds", reduce.seconds, "most time")->check(CLI::PositiveNumber)->capture_default_str();
  c->callback([&] { code = run_reduce(reduce); });

  DeviceOptions device;
  c = app.add_subcommand("device", "Vulkan devices: limits, features, and how fast the chosen one copies and adds");
  c->add_option("--device", device.device, "the one to measure, by number or part of its name");
  c->add_flag("--json", device.json, "as JSON");
  c->add_flag("!--no-measure", device.measure, "list only");
  c->callback([&] { code = run_device(device); });

  RulesOptions rules;
  c = app.add_subcommand("rules", "every rule: set, name, explanation, place in the reference");
  c->add_option("TRACE", rules.trace, "a .rscope file: adds how often each rule fired there, and its time");
  c->add_option("--set", rules.set, "only the rules of this set");
  c->add_flag("--fired", rules.fired, "only those that fired in the trace");
  c->add_flag("--json", rules.json, "a JSON object a rule");
  c->callback([&] { code = run_rules(rules); });

  ExplainOptions explaining;
  std::string explaining_pass;
  c = app.add_subcommand("explain", "why a rule's pattern matches a node, or where it fails");
  c->add_option("TRACE", explaining.trace, "a .rscope file")->required();
  c->add_option("--pass", explaining_pass, kPassHelp)->required();
  c->add_option("--step", explaining.step, "after this many matches")->check(CLI::NonNegativeNumber);
  c->add_option("--node", explaining.node, "number of a node in the trace; the next match's where left out")
      ->check(CLI::PositiveNumber);
  c->add_option("--rule", explaining.rule, "name of a rule; the next match's, or those of the pass, where left out");
  c->callback([&] { code = at_pass(explaining.trace, explaining_pass, explaining, run_explain); });

  InfoOptions info;
  c = app.add_subcommand("info", "what a trace holds: passes, rules, kernels and their times");
  c->add_option("TRACE", info.trace, "a .rscope file")->required();
  c->callback([&] { code = run_info(info); });

  ValidateCommandOptions validate;
  c = app.add_subcommand("validate", "whether a file keeps the trace format, and what is wrong where");
  c->add_option("TRACE", validate.trace, "a .rscope file")->required();
  c->add_flag("--quick", validate.quick, "do not rebuild every pass from its matches");
  c->add_option("--most", validate.most, "stop after this many findings")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->callback([&] { code = run_validate(validate); });

  DiffOptions diff;
  c = app.add_subcommand("diff", "the first pass and match where two traces part, or their kernels' times");
  c->add_option("A", diff.a, "a .rscope file")->required();
  c->add_option("B", diff.b, "another")->required();
  c->add_flag("--ignore-slots", diff.ignore_slots, "do not compare the numbers of buffers and parameters");
  c->add_flag("--times", diff.times, "the kernels' times instead: which are faster or slower beyond the noise");
  c->add_flag("--json", diff.json, "as JSON");
  c->callback([&] { code = run_diff(diff); });

  QueryOptions query;
  c = app.add_subcommand("query", "read-only SQL over a trace");
  c->add_option("TRACE", query.trace, "a .rscope file");
  c->add_option("SQL", query.sql, "one SELECT");
  c->add_option("--saved", query.saved, "a query that comes with the program, by its name");
  c->add_flag("--list", query.list, "list these queries");
  c->add_flag("--json", query.json, "a JSON object a row instead of a table");
  c->add_option("--rows", query.rows, "most rows")->check(CLI::PositiveNumber)->capture_default_str();
  c->add_option("--time", query.milliseconds, "most time, in milliseconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->callback([&] { code = run_query(query); });

  SearchOptions search;
  c = app.add_subcommand("search", "passes, rules, kernels, steps and nodes that fit: op:REDUCE dtype:float32 text");
  c->add_option("TRACE", search.trace, "a .rscope file")->required();
  c->add_option("QUERY", search.words, "words that must all hold; resources/docs/search.md lists them")->required();
  c->add_flag("--json", search.json, "a JSON object a hit");
  c->add_option("--rows", search.rows, "most hits of a kind")->check(CLI::PositiveNumber)->capture_default_str();
  c->callback([&] { code = run_search(search); });

  ProvenanceOptions provenance;
  c = app.add_subcommand("provenance", "the rewrites that made a node, back to the program, and on to the kernels");
  c->add_option("TRACE", provenance.trace, "a .rscope file")->required();
  c->add_option("NODE", provenance.node, "number of a node; `search` finds it")->required()->check(CLI::PositiveNumber);
  c->callback([&] { code = run_provenance(provenance); });

  PathologiesOptions pathologies;
  c = app.add_subcommand("pathologies",
                         "the most expensive rules, passes without effect, growth, rewrites that undo others");
  c->add_option("TRACE", pathologies.trace, "a .rscope file")->required();
  c->add_option("--rows", pathologies.rows, "most lines of each list")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->callback([&] { code = run_pathologies(pathologies); });

  WindowCommands window;
  const auto become = [&] { code = become_program(kWindowProgram, argv); };
  add_window_commands(app, window, become, become);

  return parse_and_run(app, argc, argv, code);
}

}  // namespace

int main(int argc, char** argv) {
  if (!reads_models() &&
      std::any_of(argv + std::min(argc, 1), argv + argc, [](const char* word) { return is_onnx(word); }))
    return become_program(kModelsProgram, argv);
  return guarded(run, argc, argv);
}
