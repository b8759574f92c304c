#include "driver/ranks_names.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lower/names.h"
#include "support/code_writer.h"

namespace stencilgen::driver {

RanksNames::RanksNames(const distribute::Distributed& program, const std::string& name)
    : function(name), program_(program) {
  const graph::Graph& graph = program.graph;
  lower::NameScope scope;
  for (const char* own :
       {"comm", "grid", "ranks", "fields", "memory", "status", "done", "all", "turns", "array",
        "whole", "shape", "first", "end", "counts", "sizes", "key", "value", "bits"}) {
    scope.Claim(own);
  }
  for (const graph::Parameter& parameter : graph.parameters) {
    parameters.push_back(scope.Claim(parameter.name));
  }
  for (const graph::Array& array : graph.arrays) arrays.push_back(scope.Claim(array.name));
  std::set<graph::ParameterId> of_arrays;
  for (const graph::Array& array : graph.arrays) {
    for (const graph::LinearForm& extent : array.extents) {
      for (const auto& [parameter, coefficient] : extent.terms) of_arrays.insert(parameter);
    }
  }
  for (std::uint32_t n = 0; n < graph.parameters.size(); ++n) {
    const graph::ParameterId id{n};
    if (graph.parameters[id].turn) continue;
    (of_arrays.count(id) > 0 ? sizes : others).push_back(id);
  }
  for (const graph::ArrayId id : graph.arrays.Ids()) {
    if (graph.arrays[id].rank() == 0 && !graph.arrays[id].local) scalars.push_back(id);
  }
}

std::vector<std::string> RanksNames::SizeParameters() const {
  std::vector<std::string> out;
  for (const graph::ParameterId id : sizes)
    out.push_back(fmt::format("int {}", parameters[id.index]));
  return out;
}

std::vector<std::string> RanksNames::RunParameters() const {
  std::vector<std::string> out;
  for (const graph::ArrayId id : scalars) {
    out.push_back(fmt::format("{} {}", CppName(program_.graph.arrays[id]), arrays[id.index]));
  }
  for (const graph::ParameterId id : others)
    out.push_back(fmt::format("int {}", parameters[id.index]));
  return out;
}

std::vector<std::string> RanksNames::SizeArguments() const {
  std::vector<std::string> out;
  for (const graph::ParameterId id : sizes) out.push_back(parameters[id.index]);
  return out;
}

std::vector<std::string> RanksNames::RunArguments() const {
  std::vector<std::string> out;
  for (const graph::ArrayId id : scalars) out.push_back(arrays[id.index]);
  for (const graph::ParameterId id : others) out.push_back(parameters[id.index]);
  return out;
}

bool RanksNames::IsMoved(graph::ArrayId array) const {
  const graph::Array& moved = program_.graph.arrays[array];
  const auto& fields = program_.fields;
  return (moved.copy_in || moved.copy_out) &&
         std::find(fields.begin(), fields.end(), array) != fields.end();
}

std::vector<std::string> RanksNames::WholeParameters(bool definition) const {
  std::vector<std::string> out;
  for (const graph::ArrayId id : program_.graph.arrays.Ids()) {
    const graph::Array& array = program_.graph.arrays[id];
    if (array.local) continue;
    const bool unused = definition && array.rank() > 0 && !IsMoved(id);
    out.push_back(fmt::format("{}{}{}{} {}", unused ? "[[maybe_unused]] " : "",
                              array.rank() > 0 && !array.copy_out ? "const " : "", CppName(array),
                              array.rank() > 0 ? "*" : "", arrays[id.index]));
  }
  for (std::uint32_t n = 0; n < program_.graph.parameters.size(); ++n) {
    if (!program_.graph.parameters[graph::ParameterId{n}].turn) {
      out.push_back(fmt::format("int {}", parameters[n]));
    }
  }
  return out;
}

std::vector<std::string> RanksNames::OfCreate() const {
  std::vector<std::string> all = {"MPI_Comm comm"};
  for (const std::string& size : SizeParameters()) all.push_back(size);
  all.emplace_back("const int* grid");
  all.push_back(fmt::format("struct {}_ranks** ranks", function));
  return all;
}

std::vector<std::string> RanksNames::OfRun() const {
  std::vector<std::string> all = {fmt::format("struct {}_ranks* ranks", function)};
  for (const std::string& parameter : RunParameters()) all.push_back(parameter);
  return all;
}

std::vector<std::string> RanksNames::OfWhole(bool definition) const {
  std::vector<std::string> all = {"MPI_Comm comm"};
  for (const std::string& parameter : WholeParameters(definition)) all.push_back(parameter);
  return all;
}

std::string Signature(const std::string& head, const std::vector<std::string>& parameters,
                      const std::string& tail) {
  CodeWriter writer;
  WriteCall(writer, head, parameters, tail);
  return writer.str();
}

}  // namespace stencilgen::driver
