#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sema/point_set.h"
#include "sema/reductions.h"
#include "sema/stencil_info.h"

namespace stencilgen::sema {

/// One assignment of a local scalar: the value its reads see until the next one.
struct Definition {
  std::uint32_t scalar = 0;
  std::string name;  ///< unique in the call
  ScalarType type = ScalarType::Double;
  graph::ExprId value;
  unsigned varies = 0;        ///< iterators it varies along, definitions it reads included
  bool reads_arrays = false;  ///< likewise
  int background = -1;        ///< the definition before it
  std::vector<int> reads;     ///< definitions read
  PointSet domain;            ///< where it may be computed
  Span span;
};

/// Reduction: the scalar of the program that a statement assigns a reduction to, or what stands for
/// it in the statement's value.
enum class TargetKind { Array, ProgramScalar, LocalScalar, Reduction };

/// One statement of a call, analysed.
struct Statement {
  const BodyStatement* source = nullptr;
  TargetKind kind = TargetKind::Array;
  graph::ArrayId array;      ///< Array, ProgramScalar
  std::uint32_t scalar = 0;  ///< LocalScalar
  int definition = -1;       ///< LocalScalar
  std::vector<graph::Index> target;
  std::array<graph::LinearForm, kMostIterators>
      shift;  ///< source iterator + shift = graph iterator
  graph::ExprId value;
  std::vector<graph::ExprId> accesses;
  std::vector<int> definitions_read;
  graph::VersionId result, background;
  /// Its own domain, by program iterator, in source coordinates.
  std::optional<std::vector<graph::Interval>> own_domain;
  ReductionName reduction;     ///< Reduction
  std::vector<int> iterators;  ///< Reduction: along which the value varies, ascending
  bool update = false;         ///< compound, or reads what it assigns
  bool with_previous = false;  ///< the second of a pair (BodyStatement::with_next)
  int group = -1;
  PointSet bounds;  ///< the domains given and the extents of the array written
  PointSet domain;
};

/// What the domains of a call's statements depend on.
struct DomainInputs {
  Context& context;
  const std::vector<Local>& locals;
  std::vector<Definition>& definitions;
  std::vector<Statement>& statements;
};

/// Sets Statement::group: an assignment and the updates of the same array or scalar that follow it
/// share one (grammar/README.md, updates belong together); so do the two of a pair.
void FindGroups(std::vector<Statement>& statements);

/// Computes Statement::domain and Definition::domain: what the reads leave of the bounds, equal
/// within a group. Repeats until nothing shrinks, because a group's later statements may read what
/// depends on its earlier ones; reports `cyclic-domain` where that does not end, and
/// `local-domain-not-box` for reads of a local whose assignments do not make a box. Warns with
/// `no-points` of statements that have no point at the sizes that the program names.
void ComputeDomains(const DomainInputs& inputs);

}  // namespace stencilgen::sema
