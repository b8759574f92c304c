#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ast/ast.h"
#include "graph/graph.h"
#include "graph/split_turns.h"
#include "sema/build_graph.h"
#include "support/diagnostics.h"

/// State shared by the parts of semantic analysis. Everything here is internal to sema/.
namespace stencilgen::sema {

enum class SymbolKind { Parameter, Iterator, Array };

/// Of a program: those of space, and one for components.
inline constexpr std::size_t kMostIterators = 4;

/// A program-level name. Scalars are arrays of rank 0.
struct Symbol {
  SymbolKind kind = SymbolKind::Array;
  std::uint32_t index = 0;  ///< parameter, iterator or array index
  Span span;
};

/// What sema knows of an array beyond graph::Array.
struct ArrayFacts {
  std::string source_name;  ///< as the user wrote it; a local's graph name has a suffix
  std::vector<graph::Boundary> boundary;  ///< empty, or one a dimension
  std::vector<bool> extrapolated;         ///< empty, or one a dimension: see AddExtrapolated
  bool alloc_in = false;
  bool used = false;     ///< some call touches it
  bool written = false;  ///< some call may write it
  /// A scalar of the program that reductions are assigned to: an array of one element.
  bool reduced = false;
  Span copy_out_span;
};

/// What a name in a stencil body stands for in one call.
enum class RefKind { Undeclared, Parameter, Iterator, Array, LocalScalar, Number };
struct Ref {
  RefKind kind = RefKind::Undeclared;
  std::uint32_t index = 0;  ///< parameter, iterator, array or local scalar
  ast::ExprId number;       ///< for Number: the actual's literal
};

/// A part of a loop that runs every few turns, while it is built.
struct EveryScope {
  graph::ParameterId turn;       ///< of the loop; invalid where it names none
  std::int64_t turns = 1;        ///< how often the part runs: after so many turns each
  graph::ParameterId execution;  ///< how often it has run before; invalid as `turn`
};

struct Context {
  const ast::Program& ast;
  const graph::GraphOptions& options;
  DiagnosticSink& sink;
  graph::Graph graph;
  std::unordered_map<std::string, Symbol> symbols;
  std::vector<ArrayFacts> arrays;         ///< by ArrayId; locals included
  std::vector<graph::VersionId> current;  ///< by ArrayId: the version the name stands for now
  std::unordered_set<std::string> taken;  ///< names that generated entities may not take
  int next_group = 0;
  /// Of the loops around what is built: how many turns there are.
  std::map<graph::ParameterId, graph::LinearForm> turns = {};
  /// Around what is built, outermost first.
  std::vector<EveryScope> every = {};
  /// Loops with such parts, inner ones first.
  std::vector<graph::PeriodicParts> periodic = {};

  int IteratorCount() const { return static_cast<int>(graph.iterators.size()); }

  /// The indices that the program gives: none of a scalar.
  std::size_t WrittenRank(graph::ArrayId id) const {
    return arrays[id.index].reduced ? 0 : graph.arrays[id].rank();
  }
  /// `base`, or `base_2`, `base_3`, ... where it is taken; takes it.
  std::string UniqueName(const std::string& base);
  /// Reports that an access gives the array another number of indices than it has dimensions, or
  /// none to an array, or some to a scalar; with the array that stands for a formal's name in this
  /// call. Errors: `wrong-rank`, `missing-index`.
  void ReportRank(graph::ArrayId id, const ast::Name& name, Span access, std::size_t given);
  /// What is declared, or the options say instead.
  ElementType TypeOf(const ast::Declaration& declaration, const std::string& name) const;
  /// Adds an array with its facts and no current version.
  graph::ArrayId AddArray(graph::Array array);
  graph::ExprId AddExpr(graph::Expr expr) { return graph.exprs.Add(std::move(expr)); }
  /// The form as an int expression: `M - 1`, `2*M + N`.
  graph::ExprId AddLinear(const graph::LinearForm& form, Span span);
};

}  // namespace stencilgen::sema
