#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "driver/options.h"

namespace stencilgen::driver {

/// Options of the command line by name, with their values; those of flags are empty.
using OptionSet = std::map<std::string, std::string>;

/// As they are typed: `--blockdim x=64,y=2 --shuffle`. Empty for none.
std::string ToString(const OptionSet& set);
std::vector<std::string> ArgumentsOf(const OptionSet& set);

/// The options with those of the set, as if they had been typed after the others. An error where
/// one is unknown, or where they do not go together with each other or the program.
std::variant<Options, UsageError> WithOptions(Options options, const OptionSet& set,
                                              const graph::ProgramInterface& program);

/// Options of the command line that decide how code is made, not what for: what tuning keeps where
/// they are given.
OptionSet GivenByHand(const Options& options);

}  // namespace stencilgen::driver
