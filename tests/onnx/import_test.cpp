// Reading models, and what is said of those that cannot be used. Numbers are the subject of backend_test.cpp.

#include "engine/onnx/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/onnx/message.h"

namespace rangescope::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;

std::string error_of(const Message& m, const ImportOptions& options = {}) {
  const auto parsed = parse_model(m.bytes(), "", "m.onnx");
  if (!parsed) return parsed.error().message;
  const auto context = frontend::Context::create();
  const auto made = import_model(*context, *parsed, options);
  return made ? "" : made.error().message;
}

HostArray floats(std::vector<int64_t> shape, const std::vector<double>& v) {
  return HostArray::from_doubles(DType::float32, std::move(shape), v);
}

std::vector<HostArray> results(const Message& m, const ImportOptions& options, const std::string& folder = "") {
  const auto parsed = parse_model(m.bytes(), folder, "m.onnx");
  EXPECT_TRUE(parsed) << parsed.error().message;
  const auto context = frontend::Context::create();
  const auto made = import_model(*context, *parsed, options);
  EXPECT_TRUE(made) << made.error().message;
  if (!made) return {};
  std::vector<std::pair<std::string, frontend::Tensor>> outputs;
  for (const ModelOutput& o : made->outputs) outputs.emplace_back(o.name, o.tensor);
  const auto program = frontend::make_program(*context, outputs);
  EXPECT_TRUE(program) << program.error().message;
  frontend::Evaluator evaluator;
  const auto values = frontend::run(*program, options.inputs, evaluator);
  EXPECT_TRUE(values) << values.error().message;
  return values ? *values : std::vector<HostArray>{};
}

const Message kX = value_info("x", kFloat, {2, 3}), kY = value_info("y", kFloat, {});
const HostArray kSix = floats({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(OnnxImport, OperatorsThatAreNotSupportedAreCounted) {
  const Message inner = graph({node("StringNormalizer", {"x"}, {"z"})}, {}, {value_info("z", kFloat, {})});
  const Message g =
      graph({node("Bernoulli", {"x"}, {"a"}), node("Bernoulli", {"a"}, {"b"}), node("Relu", {"b"}, {"c"}),
             node("If", {"c"}, {"y"}, {attribute("then_branch", inner), attribute("else_branch", inner)})},
            {kX}, {kY});
  EXPECT_THAT(error_of(model(g)), HasSubstr("m.onnx: these operators are not supported (how often it uses them): "
                                            "Bernoulli (2), StringNormalizer (2)"));
}

TEST(OnnxImport, OpenDimensionsAreAskedForByName) {
  const Message g = graph({node("Relu", {"x"}, {"y"})}, {value_info("x", kFloat, {"batch", 3})}, {kY});
  EXPECT_THAT(error_of(model(g)), HasSubstr("axis 0 of the input \"x\" is open: give it with --dim batch=N"));
  ImportOptions options;
  options.dims["batch"] = 2;
  EXPECT_EQ(error_of(model(g), options), "");
  ImportOptions by_place;
  by_place.dims["x:0"] = 2;
  EXPECT_EQ(error_of(model(g), by_place), "");
  ImportOptions given;
  given.inputs["x"] = kSix;
  EXPECT_EQ(results(model(g), given).at(0).shape, (std::vector<int64_t>{2, 3}));
  options.inputs["x"] = floats({1, 3}, {1, 2, 3});
  EXPECT_THAT(error_of(model(g), options), HasSubstr("is 2 long, and 1 are given"));
}

TEST(OnnxImport, ShapesAndDtypesThatDoNotFitNameTheNode) {
  const Message other = value_info("w", kFloat, {2, 4});
  EXPECT_THAT(error_of(model(graph({node("Add", {"x", "w"}, {"y"}, {}, "plus")}, {kX, other}, {kY}))),
              HasSubstr("m.onnx: Add \"plus\": "));
  EXPECT_THAT(error_of(model(graph({node("MatMul", {"x", "w"}, {"y"})}, {kX, other}, {kY}))),
              HasSubstr("MatMul \"y\": "));
  EXPECT_THAT(error_of(model(graph({node("Add", {"x", "w"}, {"y"})}, {kX, value_info("w", kInt64, {2, 3})}, {kY}))),
              HasSubstr("its operands are float32 and int64"));
  EXPECT_THAT(error_of(model(graph({node("Relu", {"s"}, {"y"})}, {value_info("s", kString, {2})}, {kY}))),
              HasSubstr("Relu \"y\": the input \"s\" has the dtype string, which is not supported"));
  EXPECT_THAT(error_of(model(graph({node("Add", {"x"}, {"y"})}, {kX}, {kY}))), HasSubstr("input 1 is missing"));
  EXPECT_THAT(error_of(model(graph({node("Relu", {"q"}, {"y"})}, {kX}, {kY}))),
              HasSubstr("the value \"q\" is used before it is made"));
  EXPECT_THAT(error_of(model(graph({node("Relu", {"x"}, {"y"})}, {kX}, {kY}), 30)),
              HasSubstr("version 30 of the operators; versions 7 to 17 are supported"));
}

TEST(OnnxImport, ShapesFoldOnTheHost) {
  // Reshape to (Shape(x)[1], -1)
  const Message g = graph(
      {node("Shape", {"x"}, {"s"}), node("Gather", {"s", "one"}, {"n"}),
       node("Concat", {"n", "open"}, {"to"}, {attribute("axis", 0)}), node("Reshape", {"x", "to"}, {"y"})},
      {kX}, {kY}, {tensor("one", kInt64, {1}, raw<int64_t>({1})), tensor("open", kInt64, {1}, raw<int64_t>({-1}))});
  ImportOptions options;
  options.inputs["x"] = kSix;
  EXPECT_EQ(results(model(g), options).at(0).shape, (std::vector<int64_t>{3, 2}));
}

TEST(OnnxImport, ValuesThatDecideShapesMustBeGiven) {
  const Message g = graph({node("Reshape", {"x", "to"}, {"y"}, {}, "fold")}, {kX, value_info("to", kInt64, {1})}, {kY});
  EXPECT_THAT(error_of(model(g)), HasSubstr("Reshape \"fold\": input 1, \"to\", must be known when the graph is built, "
                                            "and depends on the model's input \"to\": give its value"));
  ImportOptions options;
  options.inputs["x"] = kSix;
  options.inputs["to"] = HostArray::from_ints(DType::int64, {1}, std::vector<int64_t>{6});
  const auto parsed = parse_model(model(g).bytes(), "", "m.onnx");
  const auto context = frontend::Context::create();
  const auto made = import_model(*context, *parsed, options);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->inputs[0].decides_shapes);
  EXPECT_TRUE(made->inputs[1].decides_shapes);
}

TEST(OnnxImport, ConditionsFold) {
  const auto branch = [](const char* op) { return graph({node(op, {"x"}, {"z"})}, {}, {value_info("z", kFloat, {})}); };
  const Message g = graph(
      {node("If", {"yes"}, {"y"}, {attribute("then_branch", branch("Neg")), attribute("else_branch", branch("Relu"))})},
      {kX}, {kY}, {tensor("yes", 9, {}, std::string(1, '\1'))});
  ImportOptions options;
  options.inputs["x"] = kSix;
  EXPECT_THAT(results(model(g), options).at(0).to_doubles(), ElementsAre(-1, -2, -3, -4, -5, -6));
}

TEST(OnnxImport, FunctionsAreOpened) {
  Message f;
  f.add(1, "Twice")
      .add(4, "a")
      .add(5, "b")
      .add(7, node("Add", {"a", "a"}, {"b"}))
      .add(9, Message().add(2, int64_t{13}));
  f.add(10, "mine");
  Message call = node("Twice", {"x"}, {"y"});
  call.add(7, "mine");
  ImportOptions options;
  options.inputs["x"] = kSix;
  EXPECT_THAT(results(model(graph({call}, {kX}, {kY}), 13, {f}), options).at(0).to_doubles(),
              ElementsAre(2, 4, 6, 8, 10, 12));
  Message endless;
  endless.add(1, "Twice").add(4, "a").add(5, "b").add(7, node("Twice", {"a"}, {"b"}).add(7, "mine")).add(10, "mine");
  EXPECT_THAT(error_of(model(graph({call}, {kX}, {kY}), 13, {endless})), HasSubstr("too deep"));
}

TEST(OnnxImport, ExternalDataLiesBesideTheModel) {
  const std::string folder = ::testing::TempDir() + "onnx_external";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/w.bin", std::ios::binary) << std::string(4, 'x') << raw<float>({10, 20, 30});
  const auto with = [&](const std::string& location, const std::string& offset) {
    Message w;
    w.add(1, int64_t{3}).add(2, kFloat).add(8, "w").add(14, int64_t{1});
    w.add(13, Message().add(1, "location").add(2, location)).add(13, Message().add(1, "offset").add(2, offset));
    return model(graph({node("Add", {"x", "w"}, {"y"})}, {kX}, {kY}, {w}));
  };
  ImportOptions options;
  options.inputs["x"] = kSix;
  EXPECT_THAT(results(with("w.bin", "4"), options, folder).at(0).to_doubles(), ElementsAre(11, 22, 33, 14, 25, 36));
  const auto refusal = [&](const Message& m) { return parse_model(m.bytes(), folder, "m.onnx").error().message; };
  EXPECT_THAT(refusal(with("w.bin", "8")), HasSubstr("is too short"));
  EXPECT_THAT(refusal(with("../w.bin", "0")), HasSubstr("is not beside the model"));
  EXPECT_THAT(refusal(with("/etc/passwd", "0")), HasSubstr("is not beside the model"));
  EXPECT_THAT(refusal(with("gone.bin", "0")), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal(with("w.bin", "x")), HasSubstr("the offset \"x\""));
}

TEST(OnnxImport, TensorsMayBeEmpty) {
  const auto parsed = parse_model(
      model(graph({node("Relu", {"w"}, {"y"})}, {}, {kY}, {tensor("w", kFloat, {0}, "")})).bytes(), "", "m.onnx");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(parsed->graph.initializers.at(0).array.to_doubles().empty());
}

TEST(OnnxImport, NodesOfTheGraphNameTheNodeOfTheModel) {
  const auto parsed = parse_model(
      model(graph({node("Softmax", {"x"}, {"y"}, {}, "attention/probs")}, {kX}, {kY})).bytes(), "", "m.onnx");
  const auto context = frontend::Context::create();
  const auto made = import_model(*context, *parsed, {});
  ASSERT_TRUE(made) << made.error().message;
  const Metadata* m = context->store().metadata(made->outputs[0].tensor.uop());
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->name, "Softmax");
  EXPECT_EQ(m->location, "attention/probs");
}

TEST(OnnxImport, BrokenFilesAreRefused) {
  EXPECT_THAT(read_model("no_such.onnx").error().message, HasSubstr("there is no such file"));
  EXPECT_THAT(parse_model("hello, world", "", "m.onnx").error().message, HasSubstr("it is no ONNX model"));
  EXPECT_THAT(parse_model("", "", "m.onnx").error().message, HasSubstr("it is no ONNX model"));
  const Message bad = model(graph({node("Relu", {"w"}, {"y"})}, {}, {kY}, {tensor("w", kFloat, {2}, "12345")}));
  EXPECT_THAT(parse_model(bad.bytes(), "", "m.onnx").error().message,
              HasSubstr("holds 5 bytes where its shape needs 8"));
  const Message huge =
      model(graph({node("Relu", {"w"}, {"y"})}, {}, {kY}, {tensor("w", kFloat, {int64_t{1} << 40, 4}, "")}));
  EXPECT_THAT(parse_model(huge.bytes(), "", "m.onnx").error().message, HasSubstr("has an axis of"));
}

// Whatever a file's bytes are, it is read or refused.
TEST(OnnxImport, DamagedModelsDoNotCrash) {
  const std::filesystem::path data(RANGESCOPE_ONNX_DATA);
  ASSERT_TRUE(std::filesystem::exists(data)) << "install libonnx-testdata";
  uint32_t state = 7;
  const auto random = [&] { return (state = state * 1664525U + 1013904223U) >> 8U; };
  for (const char* name :
       {"node/test_softmax_axis_1", "node/test_slice", "node/test_conv_with_strides_padding", "node/test_if",
        "node/test_lstm_defaults", "node/test_qlinearconv", "node/test_resize_upsample_scales_linear",
        "node/test_nllloss_NC_expanded", "pytorch-operator/test_operator_pad"}) {
    std::ifstream in(data / name / "model.onnx", std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    const std::string good = text.str();
    ASSERT_FALSE(good.empty()) << name;
    for (int round = 0; round < 60; ++round) {
      std::string bytes = good;
      if (round % 3 == 0) bytes.resize(random() % bytes.size());
      for (uint32_t flips = random() % 4; flips > 0 && !bytes.empty(); --flips)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      const auto parsed = parse_model(bytes, "", name);
      if (!parsed) continue;
      const auto context = frontend::Context::create();
      const auto made = import_model(*context, *parsed, {});
      if (!made) {
        EXPECT_FALSE(made.error().message.empty());
      }
    }
  }
}

}  // namespace
}  // namespace rangescope::onnx
