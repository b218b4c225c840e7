#include "engine/ir/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/ir/store.h"

namespace rangescope {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string write_file(const std::string& name, const std::string& content) {
  std::string path = fs::path(::testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string write_gzip(const std::string& name, const std::string& content) {
  std::string path = fs::path(::testing::TempDir()) / name;
  gzFile f = gzopen(path.c_str(), "wb");
  EXPECT_EQ(gzwrite(f, content.data(), static_cast<unsigned>(content.size())), static_cast<int>(content.size()));
  gzclose(f);
  return path;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The golden files, or with RANGESCOPE_CORPUS=FOLDER all of a larger corpus, by hand.
std::vector<std::string> corpus_files() {
  const char* folder = std::getenv("RANGESCOPE_CORPUS");
  std::vector<std::string> files;
  for (const auto& e : fs::recursive_directory_iterator(folder != nullptr ? folder : RANGESCOPE_GOLDEN_DIR))
    if (e.path().string().ends_with(".jsonl.gz") && e.path().parent_path().filename() != "numeric")
      files.push_back(e.path());
  std::ranges::sort(files);
  return files;
}

// Structural equality is equality of handles once both live in one store.
void expect_same(const Program& a, const Program& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.suite, b.suite);
  EXPECT_EQ(a.flags, b.flags);
  EXPECT_EQ(a.root, b.root);
  EXPECT_EQ(a.kernel_graph, b.kernel_graph);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.schedule_error, b.schedule_error);
  EXPECT_EQ(a.sink, b.sink);
  EXPECT_EQ(a.linear, b.linear);
  EXPECT_EQ(a.simplified, b.simplified);
  EXPECT_EQ(a.render, b.render);
  EXPECT_EQ(a.rest, b.rest);
  ASSERT_EQ(a.minmax.has_value(), b.minmax.has_value());
  if (a.minmax) {
    EXPECT_EQ(a.minmax->min, b.minmax->min);
    EXPECT_EQ(a.minmax->max, b.minmax->max);
    EXPECT_EQ(a.in_minmax->min, b.in_minmax->min);
    EXPECT_EQ(a.in_minmax->max, b.in_minmax->max);
  }
  ASSERT_EQ(a.passes.has_value(), b.passes.has_value());
  for (size_t i = 0; a.passes && i < a.passes->size(); ++i) {
    const PassRecord &x = (*a.passes)[i], &y = b.passes->at(i);
    EXPECT_EQ(std::tie(x.depth, x.name, x.bottom_up, x.walk, x.enter_calls, x.input, x.output),
              std::tie(y.depth, y.name, y.bottom_up, y.walk, y.enter_calls, y.input, y.output));
    ASSERT_EQ(x.matches.size(), y.matches.size());
    for (size_t k = 0; k < x.matches.size(); ++k)
      EXPECT_EQ(std::tie(x.matches[k].before, x.matches[k].after, x.matches[k].rule),
                std::tie(y.matches[k].before, y.matches[k].after, y.matches[k].rule));
  }
  ASSERT_EQ(a.schedule.has_value(), b.schedule.has_value());
  for (size_t i = 0; a.schedule && i < a.schedule->size(); ++i) {
    EXPECT_EQ((*a.schedule)[i].ast, b.schedule->at(i).ast);
    EXPECT_EQ((*a.schedule)[i].buffers, b.schedule->at(i).buffers);
  }
  ASSERT_EQ(a.launch.has_value(), b.launch.has_value());
  if (a.launch) {
    EXPECT_EQ(std::tie(a.launch->name, a.launch->global_size, a.launch->local_size, a.launch->globals, a.launch->outs,
                       a.launch->ins),
              std::tie(b.launch->name, b.launch->global_size, b.launch->local_size, b.launch->globals, b.launch->outs,
                       b.launch->ins));
  }
}

TEST(Program, TheGoldenCorpusIsReadAndWrittenExactly) {
  size_t programs = 0, nodes = 0;
  for (const std::string& file : corpus_files()) {
    auto reader = ProgramReader::open(file);
    ASSERT_TRUE(reader) << reader.error().message;
    while (true) {
      Store store;
      auto p = reader->next(store);
      ASSERT_TRUE(p) << p.error().message;
      if (!*p) break;
      SCOPED_TRACE((*p)->name);
      ++programs;
      nodes += (*p)->nodes.size();
      // Two entries of a table are never the same node: their texts differ.
      EXPECT_EQ(store.node_count(), (*p)->nodes.size());
      const std::string text = to_json(**p);
      const auto again = read_program(text, store);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(store.node_count(), (*p)->nodes.size());
      expect_same(**p, *again);
      if ((*p)->input_nodes != 0) {
        EXPECT_EQ(again->input_nodes, (*p)->input_nodes);
        Store input_store;
        const auto input = read_program(text, input_store, ReadWhat::Input);
        ASSERT_TRUE(input) << input.error().message;
        EXPECT_EQ(input_store.node_count(), (*p)->input_nodes);
        EXPECT_FALSE(input->passes);
      }
    }
  }
  EXPECT_GE(programs, 2006u);
  EXPECT_GT(nodes, 400000u);
}

constexpr const char* kMinimal = R"({"name":"n","nodes":[["SINK","void",[],null,null]],"root":0})";

TEST(Program, ReadsTheFieldsOfEveryKind) {
  Store store;
  const auto p = read_program(
      R"({"name":"k","flags":{"PCONTIG":2,"FLOAT16":true},"passes":[[0,"p",true,false,true,1,null,[[0,null,"a.py:1"]]]],
      "root":1,"sink":1,"linear":[0,1],"program":{"name":"E","global_size":[null,1,1],"local_size":[8],"globals":[0],"outs":[0],"ins":[]},
      "in_minmax":[0,340282366920938463463374607431768211456],"minmax":[false,true],"render":["a","b"],"mine":{"x":[1]},
      "nodes":[["CONST","weakint",[],4,null],["SINK","void",[0],{"kernel":{"name":"E"}},null]]})",
      store);
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(p->flag("PCONTIG", 0), 2);
  EXPECT_EQ(p->flag("FLOAT16", 0), 1);
  EXPECT_EQ(p->flag("SPLIT_REDUCEOP", 1), 1);
  const PassRecord& pass = p->passes->at(0);
  EXPECT_TRUE(pass.bottom_up && !pass.walk && pass.enter_calls);
  EXPECT_EQ(pass.input, p->root);
  EXPECT_FALSE(pass.output);
  EXPECT_FALSE(pass.matches.at(0).after);
  EXPECT_EQ(p->linear->at(0), store.constant(4));
  EXPECT_EQ(p->launch->global_size.at(0), std::nullopt);
  EXPECT_EQ(p->in_minmax->max, Scalar(Int::pow2(128)));
  EXPECT_EQ(p->minmax->min, Scalar(false));
  EXPECT_EQ(p->rest, (std::vector<std::pair<std::string, std::string>>{{"mine", R"({"x":[1]})"}}));
}

TEST(Program, ALaunchWithoutALocalSizeHasNull) {
  Store store;
  const auto p = read_program(
      R"({"name":"k","nodes":[["SINK","void",[],null,null]],"root":0,"program":{"name":"E","global_size":[4,1,1],)"
      R"("local_size":null,"globals":[],"outs":[],"ins":[]}})",
      store);
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_TRUE(p->launch->local_size.empty());
  EXPECT_NE(to_json(*p).find(R"("local_size":null)"), std::string::npos);
}

TEST(Program, WhatIsWrongIsSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "a program is a JSON object"},
      {"{", "expected a key in quotes"},
      {R"({"root":0})", "the key 'nodes' is missing"},
      {R"({"nodes":[]})", "the key 'root' is missing"},
      {R"({"nodes":[],"root":0})", "node 0 is not in the table of 0 nodes"},
      {R"({"nodes":[],"nodes":[],"root":0})", "the key 'nodes' stands there twice"},
      {R"({"nodes":[["SINK","void",[3],null,null]],"root":0})", "'nodes': node 0: "},
      {R"({"nodes":[["SINK","void",[],null,null]],"root":0,"passes":[[0,"p",true]]})",
       "'passes': pass 0: at byte 14: a pass is [depth, name, bottom_up, walk, enter_calls, input, output, matches]"},
      {R"({"nodes":[["SINK","void",[],null,null]],"root":0,"kernel_graph":1})",
       "'kernel_graph': at byte 1: expected an integer from 0 to 0"},
      {R"({"nodes":[["SINK","void",[],null,null]],"root":0,"schedule":[[0]]})",
       "a scheduled kernel is [AST, [buffers]]"},
      {R"({"nodes":[["SINK","void",[],null,null]],"root":0,"counts":{"input_nodes":9}})",
       "9 input nodes of a table of 1 nodes"},
      {R"({"nodes":[["SINK","void",[],null,null]],"root":0,"name":7})", "'name': at byte 1: expected a string"},
  };
  for (const auto& [text, expected] : cases) {
    Store store;
    const auto p = read_program(text, store);
    ASSERT_FALSE(p) << text;
    EXPECT_THAT(p.error().message, HasSubstr(expected)) << text;
  }
}

TEST(ProgramReader, SaysWhereAndGoesOn) {
  const std::string path = write_file("lines.jsonl", std::string("\n") + kMinimal + "\n{\"nodes\":3}\n\n" + kMinimal);
  auto reader = ProgramReader::open(path);
  ASSERT_TRUE(reader);
  Store store;
  EXPECT_EQ((*reader->next(store))->name, "n");
  const auto bad = reader->next(store);
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr(path + " line 3: "));
  EXPECT_FALSE(reader->broken());
  EXPECT_EQ((*reader->next(store))->name, "n");
  EXPECT_EQ(*reader->next(store), std::nullopt);
}

TEST(LineReader, ReadsPlainAndGzipFilesInPieces) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += std::string(static_cast<size_t>(i) * 7, static_cast<char>('a' + i % 26)) + "\n";
  for (const std::string& path :
       {write_file("a.jsonl", text), write_gzip("a.jsonl.gz", text), write_gzip("b.jsonl", text)}) {
    auto lines = LineReader::open(path);
    ASSERT_TRUE(lines);
    std::string line, all = "\n";
    while (*lines->next(line)) all += line + "\n";
    EXPECT_EQ(all, text);
  }
}

TEST(LineReader, WhatIsWrongIsSaid) {
  const auto message = [](const std::string& path, size_t max_line = LineReader::kMaxLine) {
    auto lines = LineReader::open(path, max_line);
    if (!lines) return lines.error().message;
    std::string line;
    while (true) {
      const Result<bool> more = lines->next(line);
      if (!more) return more.error().message;
      if (!*more) return std::string();
    }
  };
  EXPECT_THAT(message("/nowhere/x.jsonl"), HasSubstr("/nowhere/x.jsonl: cannot open the file: No such file"));
  EXPECT_THAT(message(::testing::TempDir()), HasSubstr("this is a folder"));
  EXPECT_THAT(message(write_file("plain.jsonl.gz", "{}\n")), HasSubstr("no gzip file"));
  std::string noise;
  for (uint32_t i = 0, x = 1; i < 300000; ++i)
    noise += static_cast<char>('0' + ((x = x * 1664525 + 1013904223) >> 24) % 64);
  noise += "\n";
  const std::string zipped = read_file(write_gzip("whole.jsonl.gz", noise));
  EXPECT_THAT(message(write_file("cut.jsonl.gz", zipped.substr(0, zipped.size() / 2))), HasSubstr("cut off"));
  std::string damaged = zipped;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  EXPECT_THAT(message(write_file("damaged.jsonl.gz", damaged)), HasSubstr("damaged"));
  EXPECT_THAT(message(write_file("long.jsonl", noise), 1000), HasSubstr("line 1: the line is longer than 1000 bytes"));
  EXPECT_EQ(message(write_file("empty.jsonl", "")), "");
}

}  // namespace
}  // namespace rangescope
