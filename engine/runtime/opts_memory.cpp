#include "engine/runtime/opts_memory.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "engine/ir/program.h"
#include "engine/runtime/pipeline_cache.h"

namespace rangescope::runtime {

namespace {

// Of the meaning of a line; another one where code generation gives other kernels for the same optimisations.
constexpr const char* k_version = "1";

Result<OptArg> read_opt(const std::string& word) {
  const size_t first = word.find(':'), second = first == std::string::npos ? first : word.find(':', first + 1);
  if (second == std::string::npos) return refuse(fmt::format("\"{}\" is no optimisation", word));
  const auto op = optop_from_name(word.substr(0, first));
  if (!op) return refuse(fmt::format("there is no optimisation \"{}\"", word.substr(0, first)));
  try {
    return OptArg{*op,
                  std::stoll(word.substr(first + 1, second - first - 1)),
                  {Arg(static_cast<int64_t>(std::stoll(word.substr(second + 1))))}};
  } catch (const std::exception&) {
    return refuse(fmt::format("\"{}\" has no axis and amount", word));
  }
}

}  // namespace

std::string kernel_key(UOp ast, const codegen::Target& target) {
  Program kernel;
  kernel.root = ast;
  const std::string text = fmt::format("{} {} {} {} {} {} {}\n{}", k_version, target.has_local, target.has_shared,
                                       target.shares_work, target.shared_max, fmt::join(target.global_max, ","),
                                       fmt::join(target.local_max, ","), to_json(kernel));
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string opts_text(const std::vector<OptArg>& opts) {
  std::string text;
  for (const OptArg& o : opts)
    text += fmt::format("{}{}:{}:{}", text.empty() ? "" : " ", optop_name(o.op), o.axis.value_or(0),
                        o.arg.empty() ? 0 : o.arg[0].as_int64());
  return text;
}

Result<std::vector<OptArg>> read_opts(const std::string& text) {
  std::istringstream in(text);
  std::vector<OptArg> opts;
  for (std::string word; in >> word;) {
    auto opt = read_opt(word);
    if (!opt) return tl::unexpected(std::move(opt.error()));
    opts.push_back(std::move(*opt));
  }
  return opts;
}

OptsMemory::OptsMemory(const DeviceInfo& info, const std::filesystem::path& folder) {
  if (folder.empty()) return;
  file_ = folder / cache_file_name(info, "optimisations", ".txt");
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key, rest;
    FoundOpts found;
    if (!(words >> key >> found.ns) || key.size() != 32) continue;
    std::getline(words, rest);
    auto opts = read_opts(rest);
    if (!opts) continue;
    found.opts = std::move(*opts);
    found_[key] = std::move(found);
  }
}

const FoundOpts* OptsMemory::find(const std::string& key) const {
  const auto at = found_.find(key);
  return at == found_.end() ? nullptr : &at->second;
}

Result<void> OptsMemory::add(const std::string& key, FoundOpts found) {
  // one line in one write at the end: processes that search at the same time do not mix theirs
  const std::string line = fmt::format("{} {} {}\n", key, found.ns, opts_text(found.opts));
  found_[key] = std::move(found);
  if (file_.empty()) return {};
  std::error_code code;
  std::filesystem::create_directories(file_.parent_path(), code);
  std::ofstream out(file_, std::ios::app);
  out << line << std::flush;
  if (out) return {};
  return refuse(fmt::format("could not keep the optimisations found in {}: {}", file_.string(), std::strerror(errno)));
}

}  // namespace rangescope::runtime
