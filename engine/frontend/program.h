#pragma once
// From tensors to something that runs: a graph of the scheduler whose buffers are parameters, what these hold at first,
// and which of them are the results.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/frontend/context.h"
#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

// A parameter of the graph.
struct Argument {
  std::string name;  // of an input that is given when the program runs; otherwise empty
  UOp buffer;        // in the session's store
  DType dtype = DType::void_;
  int64_t count = 0;  // elements, on each device that it lives on
  int64_t devices = 1;
  Context::Data data;  // what it holds at first; null: zeros, or the input's value
};

struct Output {
  std::string name;
  size_t argument = 0;  // the buffer that holds it, all of it, row by row
  DType dtype = DType::void_;
  std::vector<int64_t> shape;
};

struct Program {
  std::shared_ptr<Context> context;
  std::unique_ptr<Store> store;     // of the graph; one that can compile it
  UOp root;                         // SINK of what is written; what the scheduler takes
  std::vector<Argument> arguments;  // by slot
  std::vector<Output> outputs;
  std::map<std::string, int64_t> variables;  // values of bound variables, by the name of their parameter
  std::map<std::string, int64_t> flags;      // settings of the scheduler, as the session had them
};

// The program that computes these. Inputs are those of Context::input that they depend on.
Result<Program> make_program(Context& context, const std::vector<std::pair<std::string, Tensor>>& outputs);

// What runs a program: `contents` are the arguments' bytes, device after device, before and, on return, after it.
using Contents = std::vector<std::vector<std::byte>>;
class Runner {
 public:
  virtual ~Runner() = default;
  virtual Result<void> run(const Program& program, Contents& contents) = 0;
};
// The plain interpreter (engine/eval).
class Evaluator : public Runner {
 public:
  explicit Evaluator(int64_t work = 4'000'000'000) : work_(work) {}
  Result<void> run(const Program& program, Contents& contents) override;

 private:
  int64_t work_;
};

// Runs it on these inputs and gives its outputs. An input that is missing, is not one, or does not fit is an error.
Result<std::vector<HostArray>> run(const Program& program, const std::map<std::string, HostArray>& inputs,
                                   Runner& runner);

// Computes the tensors into buffers of their own, and whatever was assigned on the way: every tensor alive that depends
// on them now reads these buffers. The buffers' bytes stay in the session.
Result<void> realize(Context& context, const std::vector<Tensor>& tensors, Runner& runner);
// The values of a tensor; realizes it.
Result<HostArray> read(const Tensor& tensor, Runner& runner);
// The values of a tensor by the interpreter, without keeping anything: for what a program is built from.
Result<HostArray> evaluate(const Tensor& tensor);

}  // namespace rangescope::frontend
