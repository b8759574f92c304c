#pragma once

#include <string>
#include <vector>

namespace stencilgen::driver {

struct ProcessResult {
  int status = 0;      ///< exit status; 128 + n where signal n ended it; -1 where it did not start
  std::string output;  ///< standard output and error together, the first megabyte
  bool timed_out = false;  ///< it was ended since it took too long
};

/// Runs a program with these arguments, no shell in between, and waits for it; where `seconds` are
/// given, so long at most: then it is asked to end (SIGTERM), and made to (SIGKILL) where it is
/// still there some seconds later. Requires: arguments is not empty.
ProcessResult RunProcess(const std::vector<std::string>& arguments, double seconds = 0);

/// A signal has ended it, or what it has started in turn and whose end it tells, as a shell does.
bool EndedBySignal(const ProcessResult& result);

/// `status 1`, `signal 9 (Killed)`, or `no start`: how it ended.
std::string HowItEnded(const ProcessResult& result);

/// The path of an executable: the name itself where it has a slash, else the first match in PATH.
/// Empty where there is none.
std::string FindProgram(const std::string& name);

}  // namespace stencilgen::driver
