#pragma once

#include <initializer_list>
#include <string>
#include <vector>

/// What random nests of C are about: arrays, sizes and counters, and their declarations.
namespace stencilgen::testing {

enum class CElement { Double, Float, Int };

struct CArray {
  std::string name;
  CElement type = CElement::Double;
  std::string narrow = {};  ///< what C calls elements that are read as whole numbers; else empty
};

/// How sizes are written.
enum class CSizes { Numbers, Parameters, Linear };

/// Subscripts of a dimension at the edges, in nests over whole arrays.
enum class CEdge { Wrap, WrapByChoice, Clamp };
inline constexpr std::initializer_list<CEdge> kCEdges = {CEdge::Wrap, CEdge::WrapByChoice,
                                                         CEdge::Clamp};

struct CSetting {
  int number = 0;  ///< names end in it
  int rank = 1, radius = 1;
  CSizes sizes = CSizes::Numbers;
  std::vector<std::string> counters;
  std::vector<int> extents;
  std::vector<CEdge> edges;
  std::vector<CArray> arrays;
  bool total = false;  ///< the elements of an array are added up

  /// The extent of a dimension, as it is written.
  std::string Size(int d) const;
  /// Of the function around the region.
  std::string Parameters() const;
  std::string Globals() const;
  /// Statements that fill the arrays, call the function and add all bits.
  std::string Calls() const;
};

std::string TypeName(const CArray& array);

struct CDimension {
  int step = 1;
  bool whole = false;       ///< from the first element to the last one
  bool triangular = false;  ///< ends at the counter around
};

/// A nest that is being written.
struct CNest {
  std::vector<CDimension> dims;
  std::vector<const CArray*> targets;  ///< of its statements
  int at = 0;                          ///< the number of the statement
  std::vector<std::string> scalars;    ///< that are set
};

}  // namespace stencilgen::testing
