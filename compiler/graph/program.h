#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "support/diagnostics.h"
#include "support/scalar_type.h"
#include "support/source.h"

/// A program as a front end hands it over, whatever language it is written in.
namespace stencilgen::graph {

/// A name that the program declares, and where.
struct DeclaredName {
  std::string text;
  Span span;
  friend bool operator==(const DeclaredName&, const DeclaredName&) = default;
};

/// An array, or a scalar (rank 0), of the program.
struct InterfaceArray {
  DeclaredName name;
  ScalarType type = ScalarType::Double;  ///< of its values
  ElementFormat format = ElementFormat::Plain;
  std::size_t rank = 0;
  bool copy_in = false;   ///< scalars always are
  bool copy_out = false;  ///< never for scalars
  bool constant = false;  ///< read-only in the whole program
  friend bool operator==(const InterfaceArray&, const InterfaceArray&) = default;
};

/// What can be said of a program from outside, before there is a graph: the names that options
/// may use, and the arguments of the host function in their order.
struct ProgramInterface {
  std::vector<DeclaredName> parameters;
  std::vector<DeclaredName> iterators;  ///< outermost first
  std::vector<InterfaceArray> arrays;   ///< in the order of their declarations
  std::vector<DeclaredName> locals;     ///< arrays and scalars of stencils
  friend bool operator==(const ProgramInterface&, const ProgramInterface&) = default;
};

/// The names of the iterators that kernels have dimensions along: the last three, or all.
std::vector<std::string> KernelIterators(const ProgramInterface& program);

/// The texts of the names.
std::vector<std::string> Texts(const std::vector<DeclaredName>& names);

/// The interface of the program that the graph is of; a graph knows no places of iterators.
ProgramInterface InterfaceOf(const Graph& graph);

/// What a graph is built with.
struct GraphOptions {
  std::string program_name = "program";       ///< becomes Graph::name
  std::map<std::string, std::int64_t> fixed;  ///< `-D NAME=VALUE`; names must be parameters
  /// `--precision NAME=TYPE`: of arrays and scalars, local ones too, in the place of their own.
  std::map<std::string, ElementType> types = {};
};

/// A program that has been read. Copies share what was read.
struct Program {
  ProgramInterface interface;
  /// Complex arrays and scalars; of each the interface has the parts, `psi_re` and `psi_im`.
  std::set<std::string> complex;
  /// The program as the front end understood it: `--emit ast`.
  std::function<std::string()> print;
  /// Checks the program and builds its graph. Errors and warnings go to the sink.
  /// Ensures: empty exactly when an error was reported; the graph passes graph::Verify.
  std::function<std::optional<Graph>(const GraphOptions& options, DiagnosticSink& sink)> build;
};

}  // namespace stencilgen::graph
