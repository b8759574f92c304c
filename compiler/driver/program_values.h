#pragma once

#include <optional>
#include <string>

#include "driver/options.h"

/// Options that give a program what it leaves open or says otherwise, as parts of the table of
/// options: each reads its value, and says what is wrong with it.
namespace stencilgen::driver {

/// `-D NAME=VALUE,...`
std::optional<UsageError> ApplyDefine(Options& options, const std::string& value);
/// `--precision NAME=TYPE,...`
std::optional<UsageError> ApplyPrecision(Options& options, const std::string& value);
/// `--in NAME=FILE`, `--out NAME=FILE`
std::optional<UsageError> ApplyIn(Options& options, const std::string& value);
std::optional<UsageError> ApplyOut(Options& options, const std::string& value);
/// `--scalar NAME=VALUE`
std::optional<UsageError> ApplyScalar(Options& options, const std::string& value);
/// `--seed N`
std::optional<UsageError> ApplySeed(Options& options, const std::string& value);

}  // namespace stencilgen::driver
