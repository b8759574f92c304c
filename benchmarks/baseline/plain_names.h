#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "baseline/plain_expr.h"
#include "baseline/plain_memory.h"
#include "support/code_writer.h"

namespace stencilgen::baseline {

/// What things are called in plain code, and what they hold.
class PlainNames {
 public:
  PlainNames(const graph::Graph& graph, Memory memory);

  const graph::Graph& graph() const { return graph_; }
  const Memory& memory() const { return memory_; }

  const graph::Array& TypeOf(graph::VersionId version) const;
  const Buffer& BufferOf(int buffer) const;
  std::string_view TypeText(int buffer) const;
  std::string ScalarName(graph::VersionId version) const;
  std::string NameOf(graph::VersionId version) const;
  /// For expressions of the operator.
  ExprNames NamesFor(const graph::Operator& op) const;
  /// Declares the lets that the operator's value needs.
  void WriteLets(CodeWriter& writer, const graph::Operator& op, bool reciprocals) const;

 private:
  const graph::Graph& graph_;
  const Memory memory_;
  std::set<std::string> taken_;
};

}  // namespace stencilgen::baseline
