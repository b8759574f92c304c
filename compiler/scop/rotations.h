#pragma once

#include <optional>
#include <set>
#include <vector>

#include "scop/c_region.h"
#include "support/diagnostics.h"

/// Pointers that exchange what they point to: `t = a; a = b; b = t;` at the end of a loop.
namespace stencilgen::scop {

struct Order;
struct Model;

/// Two pointers exchange what they point to, at the end of each turn of the innermost of `loops`.
struct PointerSwap {
  std::vector<StatementId> loops;  ///< outermost first
  VariableId first, second;
  Span span;
};

/// At the end of each turn of a loop, each pointer takes what the next one points to, and the last
/// one what the first does. After n turns the pointer k points to what k + n did before.
struct Rotation {
  std::vector<StatementId> loops;  ///< outermost first: the last one's turns
  std::vector<VariableId> pointers;
  Span span;

  StatementId loop() const { return loops.back(); }
  /// The number of a pointer; as many as there are where it is none of them.
  std::size_t PlaceOf(VariableId variable) const;
};

/// What assignments of pointers do, one after the other: exchanges of two in the place of those by
/// way of temporaries. Empty where some pointer is lost, or doubled. `temporaries` gets those that
/// keep a pointer meanwhile.
std::optional<std::vector<Swap>> SwapsOf(const std::vector<Swap>& moves,
                                         std::set<VariableId>& temporaries);

/// What the exchanges of each loop are together. Reports pointers that several loops exchange in
/// different ways.
std::vector<Rotation> FindRotations(const Region& region, const std::vector<PointerSwap>& swaps,
                                    DiagnosticSink& sink);

/// The rotation that a variable takes part in; null where there is none.
const Rotation* RotationOf(const std::vector<Rotation>& rotations, VariableId variable);

/// Loops whose turns say what pointers point to.
std::set<StatementId> LoopsOf(const std::vector<Rotation>& rotations);

/// Reports what reads or writes through such a pointer, where the loops around the exchange are
/// points of array assignments.
void CheckRotations(const Model& model, const Order& order, DiagnosticSink& sink);

}  // namespace stencilgen::scop
