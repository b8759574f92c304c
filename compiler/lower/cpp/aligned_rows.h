#pragma once

#include <cstdint>
#include <optional>

#include "kernel/code.h"
#include "lower/operator_code.h"

/// Where in a row stores are aligned: loads and stores that cross lines of the caches cost two.
namespace stencilgen::lower::cpp {

inline constexpr int kLineBytes = 64;  ///< of the caches

/// The element of memory that the statement stores; null where it stores none.
const kernel::ElementExpr* StoredBy(const kernel::Stmt& stmt);

/// The expression that the code of a point computes, with the iterator at another place: what it
/// takes from values before it in that code is put in.
kernel::Expr AtPlace(const OperatorCode& code, const kernel::Var& iterator,
                     const kernel::Expr& place, const kernel::Expr& expr);

/// How far the first point of a row is from a line of the caches, in the array that the first of
/// a kernel's statements writes.
struct RowStart {
  kernel::Expr to_line;      ///< `ElementsToLine(v + ((k * M + j) * N + i_lo))`
  kernel::Expr to_vector;    ///< the same, from where vectors are aligned
  std::int64_t of_line = 1;  ///< elements
  kernel::Expr pitch;        ///< elements from a row to the next one
};
/// `first`: the last iterator's value there. Empty where points of a row are not neighbours in that
/// array, and for rows without loops around them, which threads share.
std::optional<RowStart> FindRowStart(const ProgramModel& model, const graph::Operator& op,
                                     const OperatorCode& code, const kernel::Expr& first);

/// The first point of the row from which stores of the machine's vectors are aligned; `first`
/// itself where that is not worth while: rows of 5 lines and more gain up to a quarter in caches
/// where all begin at one place of a line, or half of one, so that what is loaded from rows beside
/// them is aligned too; others little, and shorter ones than 16 lines lose. At most `last`.
kernel::Expr FirstAligned(const RowStart& start, const kernel::Expr& first,
                          const kernel::Expr& last);
/// The last point up to `first` from which stores of lines are aligned; `first` itself where the
/// row has fewer than 8 times `width` points.
kernel::Expr LastAligned(const RowStart& start, const kernel::Expr& first, const kernel::Expr& last,
                         const kernel::Expr& width);

/// Points of a row, from the first to the last.
struct RowPart {
  kernel::Expr first, last;
};
/// Names for a loop over parts of rows.
struct RowPartVars {
  kernel::VarRef part, from, to;
};
/// Adds a loop that runs `points` for one part of a row and then for the other, so that its body
/// stands once. `between`: what runs between them, if its condition holds.
void AddInParts(kernel::Block& block, kernel::ForStmt points, const RowPart& one,
                const RowPart& other, const RowPartVars& vars,
                std::optional<kernel::IfStmt> between = {});

}  // namespace stencilgen::lower::cpp
