#include "kernel/code.h"

namespace stencilgen::kernel {

void Block::Append(const Block& other) {
  stmts.insert(stmts.end(), other.stmts.begin(), other.stmts.end());
}

}  // namespace stencilgen::kernel
