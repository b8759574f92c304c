#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "kernel/body.h"
#include "lower/cpp/fetch_plan.h"

/// What bodies cost a core with AVX-512: cycles of a turn of the innermost loop on two vectors.
namespace stencilgen::choose {

/// Longer bodies take compilers too long, and gain nothing more.
inline constexpr std::size_t kMostInstructions = 1200;

/// True where an element of a row is read only if a condition holds: compilers do not vectorise
/// that. What all points of a row share they read before the loop.
bool ReadsUnderConditions(const graph::Graph& graph, const graph::Operator& op);

/// What operators that share a nest compute at a point, in the order of the program.
/// Requires: they have the same iterators.
kernel::Body LowerPoint(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops);

/// Of arithmetic alone.
double ArithmeticCycles(const kernel::Body& body);

/// Of one turn with these loads, on packs of two vectors. Loads and arithmetic have their own
/// units, so that the slower of them decides.
double CyclesOf(const kernel::Body& body, const lower::cpp::FetchPlan& plan);

/// Of what compilers make of a plain loop: each element is loaded once, and so are, for each
/// vector, uniform values that are too many for registers.
double PlainCycles(const kernel::Body& body);

/// The rows of arrays that a body reads: an address each.
std::size_t RowsOf(const kernel::Body& body);

/// Of moving what a turn needs through the caches: each plane that the body reads, of which points
/// along the iterators within it share the rest; and of addresses.
double TrafficCycles(const kernel::Body& body, const graph::Operator& op,
                     std::size_t points_in_plane);

/// Of moving what a point needs from memory and back, with so many arrays written: no order of
/// instructions is faster.
double MemoryCycles(const kernel::Body& body, std::size_t written);

}  // namespace stencilgen::choose
