#pragma once
// What is otherwise than usual when a program is scheduled: rules that are off, and settings beside the program's own.
// A trace keeps it, so that it can be recorded again.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/program.h"
#include "engine/ir/store.h"
#include "engine/trace/recorder.h"

namespace rangescope::app {

using FlagValues = std::vector<std::pair<std::string, int64_t>>;

struct Changes {
  std::vector<std::string> without;  // names of rules
  FlagValues flags;
};

// The program's settings with these in their place or beside them.
void put_flags(FlagValues& of_program, const FlagValues& changed);

std::string flags_json(const FlagValues& flags);
Result<FlagValues> flags_from_json(std::string_view text);
std::string names_json(const std::vector<std::string>& names);
Result<std::vector<std::string>> names_from_json(std::string_view text);

// Notes the settings of one of the programs of a trace.
void note_flags(trace::Recorder& recorder, int64_t section, const FlagValues& flags);
std::string flags_key(int64_t section);  // in the trace's meta
// Notes what its variables stand for; nothing where there are none.
void note_variables(trace::Recorder& recorder, int64_t section, const std::map<std::string, int64_t>& variables);
std::string variables_key(int64_t section);
// Notes what is off in the trace; nothing where nothing is.
void note_rules_off(trace::Recorder& recorder, const std::vector<std::string>& without);

}  // namespace rangescope::app
