#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stencilgen::codegen {

/// The program of a block for ranks of MPI, which the block's place calls instead of that for one
/// machine.
struct RanksCode {
  std::string definitions;  ///< with NAME_mpi and NAME_mpi_error
  std::vector<std::string_view> runtime;
  std::string communicator;  ///< what it is called in the file
};

}  // namespace stencilgen::codegen
