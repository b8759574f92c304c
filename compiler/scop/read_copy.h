#pragma once

#include <string>
#include <vector>

#include <clang-c/Index.h>

#include "scop/read_expr.h"

namespace stencilgen::scop {

/// Calls that copy arrays, as loops: `memcpy(a, b, sizeof a)` and the like are
///
///   for (i = 0; i < n; i++) for (j = 0; j < m; j++) a[i][j] = b[i][j];
///
/// also with `memmove`, with rows of arrays, and with `memset` to zero.
class CopyReader {
 public:
  CopyReader(Region& region, ExprReader& exprs, DiagnosticSink& sink)
      : region_(region), exprs_(exprs), sink_(sink) {}

  /// True for a call of one of these functions: its loop, still without a body, is added to the
  /// statements, or it has been reported why there is none.
  bool Read(CXCursor call, Span span, std::vector<StatementId>& to);

  /// Makes the loops: how many there are of an array with subscripts like `i*n + j` is seen from
  /// these. Requires: the whole region has been read without an error.
  void Finish();

 private:
  /// A product of a number and expressions.
  struct Product {
    std::int64_t number = 1;
    std::vector<ExprId> factors;
  };
  struct Part {
    VariableId array;
    std::vector<ExprId> subscripts;
    std::vector<std::optional<ExprId>> extents;
  };
  struct Copy {
    StatementId loop;
    std::string function;
    Part to;
    std::optional<Part> from;  ///< empty: zeros
    Product bytes;
    Span span;
  };

  std::optional<Part> ReadPart(CXCursor cursor);
  bool AddFactors(CXCursor cursor, Product& product);
  bool AddSize(CXCursor cursor, Product& product);
  bool Same(ExprId a, ExprId b) const;
  bool SameRows(const Part& a, const Part& b) const;
  bool Divide(Product& product, const Product& by) const;
  Product ProductOf(ExprId expr) const;
  void AddStrides(ExprId expr, const Product& outer, std::vector<Product>& strides) const;
  std::vector<Product> RowsOf(const Copy& copy, bool& known) const;
  ExprId Write(const Product& product, Span span);
  ExprId ElementOf(const Part& part, const std::vector<VariableId>& counters,
                   const std::vector<Product>& extents, Span span);
  void Finish(const Copy& copy);
  void Refuse(const std::string& function, Span span);

  Region& region_;
  ExprReader& exprs_;
  DiagnosticSink& sink_;
  std::vector<Copy> copies_;
};

}  // namespace stencilgen::scop
