#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "driver/pipeline.h"

namespace stencilgen::suite {

/// The command line of `benchmarks/run`.
struct Options {
  std::string suites;                   ///< letters, e.g. `AB`
  std::string filter = "*";             ///< a glob of programs' names
  std::vector<bool> single;             ///< by precision to measure: is it float
  std::vector<driver::Target> targets;  ///< empty: what this machine has
  bool quick = false;
  bool check = false;   ///< no timing
  bool resume = false;  ///< keep the results that the file has
  bool compile_speed = false;
  bool rivals = true;         ///< measure those that are installed
  bool rivals_asked = false;  ///< say which are not
  std::string json;
  std::string page;            ///< `.html` or `.md`; empty: none
  std::string tuning_db;       ///< a file, or `none`; empty: as the tool looks it up
  std::string note;            ///< on the machine, for the page
  double minutes = 0;          ///< for everything
  double sample = 0;           ///< seconds of a sample, at least
  int repeats = 0;             ///< samples of each version
  std::int64_t megabytes = 0;  ///< arrays of a program, at most; 0: by the size of the cache
  std::vector<std::string> arguments;  ///< as typed
};

/// How parsing ended where there is nothing to measure: an exit status, after a message.
struct Finished {
  int status = 0;
};

std::variant<Options, Finished> ParseOptions(int argc, char** argv);

}  // namespace stencilgen::suite
