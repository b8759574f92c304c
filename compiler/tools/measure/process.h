#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <sys/types.h>

/// What measures generated code, here and in folders that are carried to other machines: C++17 and
/// the system alone, so that these files can go with them.
namespace stencilgen::measure {

/// A process of its own that answers in lines: what crashes or hangs there stops nothing else. It
/// ends with its parent, and with this object.
class Process {
 public:
  /// Runs `body` in it with the descriptor that its answers are written to. What it prints goes
  /// nowhere.
  explicit Process(const std::function<void(int)>& body);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();
  bool started() const { return pid_ > 0; }

  enum class Outcome { Line, Ended, Late, Stopped };
  /// The next line, waited for at most so many seconds. `stopped`: nobody wants it any more.
  Outcome ReadLine(double seconds, const std::function<bool()>& stopped, std::string* line);
  /// How it ended. Requires: it has, or is about to.
  std::string Ending();

 private:
  int Wait();

  pid_t pid_ = -1;
  int pipe_ = -1;
  bool waited_ = false;
  std::string buffer_;
};

/// Writes the text as one line; ends the process where nobody reads it.
void WriteLine(int to, std::string line);

/// One line that a function gives, in a process of its own; empty where none comes in time, with
/// the reason in `problem`.
std::string AnswerOf(double seconds, std::string* problem,
                     const std::function<std::string()>& body);

}  // namespace stencilgen::measure
