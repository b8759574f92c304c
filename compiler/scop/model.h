#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <isl/cpp.h>

#include "scop/affine.h"
#include "scop/c_region.h"
#include "scop/rotations.h"
#include "support/diagnostics.h"

/// A region as integer sets: which instances of its statements there are, what they access, and in
/// which order. Source: the polyhedral model as in Verdoolaege, "Polyhedral parallel code
/// generation for CUDA", section 2; the sets are isl's.
namespace stencilgen::scop {

struct Access {
  VariableId variable;
  VariableId storage;  ///< the variable, or the one that it exchanges memory with
  bool write = false;
  bool conditional = false;  ///< a read that C makes in a branch of `?:` alone, or under an `if`
  ExprId expr;               ///< the element, as written
  isl::map map;              ///< from instances to elements
  isl::map everywhere;       ///< the same without the domain
  isl::map place;            ///< to elements of the storage, which tells two memories apart
};

/// An `if` around a statement.
struct Guard {
  ExprId condition;
  bool negated = false;
  bool affine = false;  ///< then it is a part of the domain

  friend bool operator==(const Guard&, const Guard&) = default;
};

/// One assignment, with the loops and conditions around it.
struct Step {
  explicit Step(const isl::set& nothing)
      : domain(nothing), loop_domain(nothing), computed(nothing) {}

  std::size_t number = 0;  ///< its instances are S<number>[...]
  StatementId statement;
  VariableId target;
  ExprId target_expr;  ///< invalid for a definition
  std::optional<BinaryOp> update;
  ExprId value;
  std::optional<Extremum> extremum;
  Span span;
  std::vector<StatementId> loops;     ///< outermost first
  std::vector<std::size_t> position;  ///< among the statements of each body, outermost first
  std::vector<Guard> guards;
  isl::set domain;
  isl::set loop_domain;          ///< by the loops alone, without conditions
  isl::set computed;             ///< where an array assignment computes the value
  std::vector<Access> accesses;  ///< the write last
};

/// A scalar that each iteration of the outer `depth` loops has for itself.
struct PrivateScalar {
  std::size_t depth = 0;
  std::size_t guards = 0;       ///< how many outer conditions all that names it has in common
  bool set_everywhere = false;  ///< what names it first sets it without a further condition
};

struct Model {
  std::shared_ptr<isl_ctx> owner;  ///< outlives the sets
  const Region* region = nullptr;
  std::shared_ptr<AffineReader> affine;
  std::vector<Step> steps;
  std::map<VariableId, PrivateScalar> privates;
  std::vector<Rotation> rotations;
  isl::set context;  ///< sizes for which the model is right; others are left to the region's code

  isl::ctx ctx() const { return {owner.get()}; }
  std::string Parameters() const { return affine->Parameters(); }
  isl::set Set(const std::string& text) const { return isl::set(ctx(), Parameters() + text); }
  isl::map Map(const std::string& text) const { return isl::map(ctx(), Parameters() + text); }
};

/// `l0, l1` for two loops; with another letter for other instances.
std::string Tuple(std::size_t size, char letter = 'l');

/// How names are read inside these loops: the counter of the loop k is `l<k>`.
Scope ScopeOf(const Region& region, const std::vector<StatementId>& loops);

/// Reports subscripts and bounds that are not affine, and scalars that carry values on.
/// Empty exactly when an error was reported. Requires: the region outlives the model.
std::optional<Model> BuildModel(const Region& region, DiagnosticSink& sink);

/// Takes these for scalars that all iterations share. Requires: they are privates of the model.
void SharePrivates(Model& model, const std::set<VariableId>& scalars);

}  // namespace stencilgen::scop
