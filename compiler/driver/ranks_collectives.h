#pragma once

#include <string>

#include "distribute/distributed.h"
#include "driver/ranks_names.h"

namespace stencilgen::driver {

/// The number of an array among those of the program's ranks. Requires: it is one of them.
int FieldNumber(const distribute::Distributed& program, distribute::ArrayId array);

/// Ranks do more together in some step than exchanges.
bool HasCollective(const distribute::Steps& steps);

/// The lines of what ranks do together: complete arrays of elements, and the lanes of a reduction.
/// `exact`: with the bits of one machine.
std::string CollectText(const distribute::Distributed& program,
                        const distribute::CollectStep& collect);
std::string ReduceText(const distribute::Distributed& program, const RanksNames& names,
                       const distribute::ReduceStep& reduce, bool exact);

}  // namespace stencilgen::driver
