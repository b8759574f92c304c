#pragma once

#include <cstdint>
#include <string>

#include "kernel/execute.h"

namespace stencilgen::kernel {

/// The value of an integer or a truth of the host that stands in no function: a size, the end of a
/// range, a condition. A fault is put into `error` where that is empty, behind `who`; the value is
/// 0 then. Requires: it is less than 2^53.
std::int64_t EvaluateInteger(const Expr& expr, const std::string& who, const ArgumentLookup& lookup,
                             std::string& error);

/// Runs code of the host that stands in no function: `lookup` gives the values of what it names and
/// does not declare. Returns what its outermost variables have in the end, those that it declares
/// and those that it changes.
struct HostValue {
  VarRef var;
  ExecuteArgument value;
};
std::vector<HostValue> RunHostCode(const Block& code, const std::string& who,
                                   const ArgumentLookup& lookup, std::string& error);

}  // namespace stencilgen::kernel
