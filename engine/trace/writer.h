#pragma once
// Writes batches into the file on a thread of its own, a transaction a batch. The file is in WAL mode while it is
// recorded, so that a killed recorder leaves what it had committed and another process can follow; closing folds it
// back into one file.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/trace/database.h"
#include "engine/trace/events.h"

namespace rangescope::trace {

class Writer {
 public:
  // Makes a new file. An existing trace or an empty file is replaced, any other file is refused. The old trace stays as
  // PATH.old until the new one is closed.
  static Result<std::unique_ptr<Writer>> create(const std::string& path);
  // Adds to a complete trace: kernels, runs.
  static Result<std::unique_ptr<Writer>> append(const std::string& path);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Waits where the file cannot keep up, so that memory stays bounded.
  void post(Batch batch);
  // Runs on the writer's thread, inside a transaction.
  void post(std::function<Result<void>(Database&)> job);
  // Waits until everything posted is committed; the first error, if there was one.
  Result<void> flush();
  // Indexes, the closing mark, one file without sidecars. The trace that was replaced goes, unless it is worth more
  // than this one.
  enum class Replaced : uint8_t { Remove, Keep };
  Result<void> close(Replaced replaced = Replaced::Remove);
  const std::string& replaced() const { return old_; }  // where the trace is that this one replaces; empty: none was

 private:
  struct Statements;
  explicit Writer(std::unique_ptr<Database> db);
  void run();
  Result<void> write(const Batch& batch);
  void enqueue(std::function<Result<void>(Database&)> job);

  std::unique_ptr<Database> db_;
  std::string old_;  // the trace that this one replaces; empty: none
  std::unique_ptr<Statements> statements_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<std::function<Result<void>(Database&)>> queue_;
  bool busy_ = false;
  bool stop_ = false;
  std::optional<Error> error_;
  std::thread thread_;
};

}  // namespace rangescope::trace
