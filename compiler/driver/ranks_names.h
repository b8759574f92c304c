#pragma once

#include <string>
#include <vector>

#include "distribute/distributed.h"

namespace stencilgen::driver {

/// What the parts of a program for ranks are called in its code, and what they are called with.
struct RanksNames {
  RanksNames(const distribute::Distributed& program, const std::string& name);

  std::string function;                           ///< NAME
  std::vector<std::string> parameters, arrays;    ///< by id
  std::vector<graph::ParameterId> sizes, others;  ///< of arrays, and what a run gets besides
  std::vector<graph::ArrayId> scalars;

  /// `int M`, `int N`.
  std::vector<std::string> SizeParameters() const;
  /// Scalars, then other parameters.
  std::vector<std::string> RunParameters() const;
  std::vector<std::string> SizeArguments() const;
  std::vector<std::string> RunArguments() const;
  /// The same of the C functions that make ranks, run them, and do all of it on whole arrays.
  std::vector<std::string> OfCreate() const;
  std::vector<std::string> OfRun() const;
  /// `definition`: arrays that are not moved are marked as unused.
  std::vector<std::string> OfWhole(bool definition = false) const;
  /// The arguments of the program for one machine: arrays and scalars, then parameters.
  std::vector<std::string> WholeParameters(bool definition) const;
  /// Ranks get the whole array from rank 0, or bring it there.
  bool IsMoved(graph::ArrayId array) const;

 private:
  const distribute::Distributed& program_;
};

/// `head(a, b, c)tail`, in lines.
std::string Signature(const std::string& head, const std::vector<std::string>& parameters,
                      const std::string& tail);

}  // namespace stencilgen::driver
