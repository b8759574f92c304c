#pragma once

#include <string>
#include <vector>

namespace stencilgen::driver {

struct ProcessResult {
  int status = 0;      ///< exit status; 128 + n where signal n ended it; -1 where it did not start
  std::string output;  ///< standard output and error together, the first megabyte
};

/// Runs a program with these arguments, no shell in between, and waits for it.
/// Requires: arguments is not empty.
ProcessResult RunProcess(const std::vector<std::string>& arguments);

/// `status 1`, `signal 9 (Killed)`, or `no start`: how it ended.
std::string HowItEnded(const ProcessResult& result);

/// The path of an executable: the name itself where it has a slash, else the first match in PATH.
/// Empty where there is none.
std::string FindProgram(const std::string& name);

}  // namespace stencilgen::driver
