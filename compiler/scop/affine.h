#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scop/c_region.h"

/// Integer expressions of a region in isl's notation.
namespace stencilgen::scop {

/// A value where a condition holds; both are isl's text. An empty condition always holds.
struct Piece {
  std::string condition;
  std::string value;
};

/// What is one number during the whole region: a variable that it does not assign, or an expression
/// of such variables that is not affine, as `n/2`.
struct Symbol {
  std::string text;  ///< C's
  std::optional<VariableId> variable;
  Span span;
};

/// How a region's names are read where a statement stands.
struct Scope {
  std::map<VariableId, std::string>
      iterators;  ///< the counters of the loops around, in isl's names
};

class AffineReader {
 public:
  /// `assigned`: variables that the region changes. `inlined`: integers of the region that stand
  /// for their initial values.
  AffineReader(const Region& region, std::set<VariableId> assigned,
               std::map<VariableId, ExprId> inlined)
      : region_(region), assigned_(std::move(assigned)), inlined_(std::move(inlined)) {}

  /// The value as pieces, whose conditions exclude each other. Where none holds the value is not
  /// affine; empty where it never is.
  std::optional<std::vector<Piece>> Value(ExprId id, const Scope& scope);

  /// The condition in isl's notation; empty where it is not affine.
  std::optional<std::string> Condition(ExprId id, const Scope& scope);

  /// True where nothing in the expression depends on iterators or on what the region assigns.
  bool IsFixed(ExprId id, const Scope& scope) const;

  /// True where C's value may be the affine one and a turn of its type more, because that is
  /// negative: differences of unsigned numbers and signed ones that have become unsigned.
  bool MayWrap(ExprId id) const;
  /// Conditions on parameters, in isl's notation, under which what has been read is so.
  const std::set<std::string>& assumptions() const { return assumptions_; }

  /// isl's name of the parameter number k.
  static std::string NameOf(std::size_t symbol) { return "p" + std::to_string(symbol); }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  std::string SymbolFor(ExprId id);

  /// `[p0, p1] -> `
  std::string Parameters() const;

  const std::map<VariableId, ExprId>& inlined() const { return inlined_; }
  bool IsAssigned(VariableId id) const { return assigned_.count(id) > 0; }

 private:
  std::optional<std::vector<Piece>> ValueOf(const Binary& node, ExprId id, const Scope& scope);
  std::optional<std::vector<Piece>> LowBits(const Binary& node, const Scope& scope);
  /// 1 where a condition holds, and else 0.
  std::optional<std::vector<Piece>> Truth(ExprId id, const Scope& scope);
  std::optional<std::vector<Piece>> Quotient(const Binary& node, ExprId id, const Scope& scope);
  std::optional<std::vector<Piece>> Compared(ExprId id, const Scope& scope);

  const Region& region_;
  std::set<VariableId> assigned_;
  std::map<VariableId, ExprId> inlined_;
  std::vector<Symbol> symbols_;
  std::set<std::string> assumptions_;
  std::map<std::string, std::size_t> by_text_;
};

/// The expression in C, for the code around the region.
std::string TextOf(const Region& region, ExprId id);

}  // namespace stencilgen::scop
