#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "suite/machine.h"

namespace stencilgen::suite {

/// A child process that answers lines of JSON with lines of JSON, and shares memory with this one.
class Worker {
 public:
  /// Starts a program; the shared memory's descriptor becomes its last argument. Waits for the line
  /// in which it says that it is ready. Null, with the reason in `error`, where that does not come.
  static std::unique_ptr<Worker> Start(std::vector<std::string> arguments, std::string& error);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// The answer; empty, with the reason in `error`, where there is none, or it is an error. Once
  /// the process is gone there are no more answers.
  std::optional<Json> Ask(const Json& request, std::string& error);

  /// So many bytes of memory that the process has too; null where there are not so many. What was
  /// in it is lost.
  std::byte* Share(std::size_t bytes);

  bool alive() const { return child_ > 0; }
  const Json& ready() const { return ready_; }

 private:
  Worker() = default;
  /// A line, or why there is none.
  std::optional<Json> Answer(std::string& error);
  /// Ends the process, if it has not ended; says how it did, and its last words.
  std::string End();

  pid_t child_ = 0;
  int to_ = -1, from_ = -1, errors_ = -1, memory_ = -1;
  std::string read_;  ///< and not yet a line
  std::byte* shared_ = nullptr;
  std::size_t bytes_ = 0;
  Json ready_;
};

}  // namespace stencilgen::suite
