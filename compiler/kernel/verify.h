#pragma once

#include <string>
#include <vector>

#include "kernel/body.h"

namespace stencilgen::kernel {

/// Every broken invariant in words, empty for a valid body: ids in range; each operation has its
/// number of operands; only temporaries are destinations; several definitions of one are
/// contributions of one kind, all before its uses; what is used or a result is defined; names of
/// temporaries are unique; statements are in range.
std::vector<std::string> Verify(const Body& body);

}  // namespace stencilgen::kernel
