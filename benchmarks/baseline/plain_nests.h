#pragma once

#include <string>
#include <vector>

#include "baseline/plain_names.h"

namespace stencilgen::baseline {

/// The functions of a program's statements: loop nests with OpenMP over the outermost loop, or
/// kernels with a thread a point.
class PlainNests {
 public:
  PlainNests(const PlainNames& names, bool cuda);

  /// Writes the function that computes an operator; returns the statement that runs it.
  std::string Statement(const graph::Operator& op, int buffer);
  /// The same for the copy of what lies outside the domain of the last statement's operator.
  std::string Border(const graph::Operator& op, const Store& store);

  std::string Text() const { return nests_.str(); }

 private:
  /// What a nest or kernel is called with.
  struct Arguments {
    std::vector<std::string> declared;
    std::vector<std::string> given;

    void Add(const std::string& type, const std::string& name);
  };
  /// Arrays, scalars and sizes of an operator. `result`: the buffer it writes.
  Arguments ArgumentsOf(const graph::Operator& op, int result) const;
  void AddSizes(Arguments* arguments) const;
  std::string BoundText(const graph::Bound& bound, bool lower) const;
  /// `Index(1)`, or the largest of several lower bounds, or the least of upper ones.
  std::string BoundsText(const std::vector<graph::Bound>& bounds, bool lower) const;
  const std::string& Iterator(int iterator) const;
  std::string TargetText(const graph::Operator& op, int buffer) const;
  std::string GuardText(const graph::Operator& op) const;
  void WritePoint(const graph::Operator& op, int buffer);
  void WriteBounds(const graph::Operator& op);
  template <typename Body>
  void WriteLoops(const graph::Operator& op, std::size_t depth, Body body);
  template <typename Body>
  void WriteKernel(const std::string& function, const graph::Operator& op,
                   const Arguments& arguments, Body body);
  /// The statement that runs the function on the operator's domain.
  std::string WriteCall(const std::string& function, const graph::Operator& op,
                        const Arguments& arguments);

  const PlainNames& names_;
  const graph::Graph& graph_;
  const bool cuda_;
  CodeWriter nests_;
  int functions_ = 0;
};

}  // namespace stencilgen::baseline
