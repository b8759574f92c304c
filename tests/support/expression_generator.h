#pragma once

#include <string>
#include <vector>

#include "support/prng.h"
#include "support/scalar_type.h"

namespace stencilgen::testing {

/// One dimension of an array: `iterator`'s parameter + pad elements, or `extent` elements where
/// iterator is -1.
struct Dimension {
  int iterator = -1;
  int pad = 0;
  int extent = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct ReadableArray {
  std::string name;
  ScalarType type = ScalarType::Double;
  std::vector<Dimension> dims;
  bool local = false;  ///< has values on part of its extents only: no constant indices
};
struct ReadableScalar {
  std::string name;
  ScalarType type = ScalarType::Double;
  bool uniform = true;  ///< false for a point-local scalar, which varies along every iterator
};

/// What an expression may use.
struct Scope {
  std::vector<std::string> iterators;   ///< outermost first
  std::vector<std::string> parameters;  ///< the size along each iterator
  std::vector<bool> varies;             ///< by iterator: may the expression depend on it
  std::vector<ReadableArray> arrays;    ///< empty for a uniform expression
  std::vector<ReadableScalar> scalars;
  bool discontinuous = false;           ///< comparisons of floats, floor, fmod, float to int
  int reach = 1;                        ///< largest offset of an access
  std::vector<std::string> turns = {};  ///< of the loops around
  Prng* places = nullptr;               ///< draws indices that are values; none where it is null
};

/// Text of an expression with the binding strength of its outermost operator and a bound of its
/// absolute value (as long as arrays stay within their own).
struct Term {
  std::string text;
  int level = 0;
  double bound = 0;
};

inline constexpr double kFloatBound = 2;
inline constexpr double kIntBound = 1000;

/// Writes random expressions of a wanted kind.
class ExpressionGenerator {
 public:
  explicit ExpressionGenerator(Prng* prng) : prng_(*prng) {}

  /// A float or double expression scaled into [-kFloatBound, kFloatBound].
  std::string Float(const Scope& scope, int depth);
  /// An int expression of absolute value below 97.
  std::string Int(const Scope& scope, int depth);
  std::string Bool(const Scope& scope, int depth);
  /// A sum of weighted neighbours of one array: what most stencils are. Empty where the scope has
  /// no floating-point array.
  std::string Neighbours(const Scope& scope);
  /// An element of the array at random indices, e.g. `u[j-1][i]`.
  std::string Access(const Scope& scope, const ReadableArray& array);
  /// A place in that many elements that depends on the turn of a loop and exists in the first one.
  /// Requires: the scope has turns.
  std::string TurnIndex(const std::vector<std::string>& turns, int extent);
  /// A literal in (0, 1), e.g. `0.37`, `.5`, `2.5e-1`.
  std::string Fraction();

 private:
  Term FloatTerm(const Scope& scope, int depth);
  Term FloatLeaf(const Scope& scope);
  Term FloatCall(const Scope& scope, int depth);
  Term DiscontinuousCall(const Scope& scope, int depth);
  Term IntTerm(const Scope& scope, int depth);
  Term IntLeaf(const Scope& scope);
  Term IntBinary(const Scope& scope, int depth);
  Term BoolTerm(const Scope& scope, int depth);
  std::string Index(const Scope& scope, const Dimension& dim, bool local);
  std::string Place(const Scope& scope, const Dimension& dim);
  bool CanRead(const Scope& scope, bool floating) const;
  const ReadableArray& PickArray(const Scope& scope, bool floating);

  Prng& prng_;
};

}  // namespace stencilgen::testing
