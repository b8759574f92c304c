#pragma once

#include <cstdint>

#include "plan/matrix_tiles.h"
#include "support/prng.h"
#include "support/test_program.h"

namespace stencilgen::testing {

/// A random program of sums over rows and columns: products of matrices of one to three
/// dimensions, in one loop or two, minima instead of sums, and transpositions. The same seed gives
/// the same program.
TestProgram GenerateMatrixProgram(std::uint64_t seed);

/// A random shape for its kernels: of blocks and boxes on a grid, else of rows and packs.
plan::MatrixTile RandomMatrixShape(Prng* prng, const graph::Graph& graph,
                                   const plan::MatrixKernel& found, bool grid);

}  // namespace stencilgen::testing
