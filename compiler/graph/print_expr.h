#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// `2*i + M - 1`.
std::string IndexText(const Graph& graph, const std::vector<std::string>& parameter_names,
                      const Index& index);

/// Expressions of one operator in the syntax of the language, with as few parentheses as it needs.
/// Conversions read `float(x)`, reads with a boundary mode `u.0[clamp: j - 1]`.
class ExprPrinter {
 public:
  /// All arguments must outlive the printer.
  ExprPrinter(const Graph& graph, const Operator& op,
              const std::vector<std::string>& parameter_names,
              const std::vector<std::string>& version_names)
      : graph_(graph), op_(op), parameter_names_(parameter_names), version_names_(version_names) {}

  std::string Print(ExprId expr) const;

 private:
  void Append(ExprId id, int least, std::string& out) const;
  void AppendBinary(ExprId id, int least, std::string& out) const;
  void AppendConditional(const Conditional& conditional, int least, std::string& out) const;
  void AppendUnary(const Unary& unary, int least, std::string& out) const;
  void AppendAccess(const Access& access, std::string& out) const;
  void AppendLeaf(const Expr& expr, int least, std::string& out) const;
  void AppendList(const std::vector<ExprId>& arguments, std::string& out) const;

  const Graph& graph_;
  const Operator& op_;
  const std::vector<std::string>& parameter_names_;
  const std::vector<std::string>& version_names_;
};

}  // namespace stencilgen::graph
