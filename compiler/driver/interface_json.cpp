#include "driver/interface_json.h"

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

namespace stencilgen::driver {

namespace {

using Json = nlohmann::ordered_json;

Json NumberOrNull(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json ExtentJson(const graph::Graph& graph, const graph::LinearForm& extent) {
  Json terms = Json::object();
  for (const auto& [parameter, factor] : extent.terms) {
    terms[graph.parameters[parameter].name] = factor;
  }
  return {{"text", graph::ToString(extent, graph::ParameterNames(graph))},
          {"constant", extent.constant},
          {"terms", terms}};
}

Json ArgumentJson(const graph::Graph& graph, const graph::Array& array) {
  Json extents = Json::array();
  for (const graph::LinearForm& extent : array.extents) {
    extents.push_back(ExtentJson(graph, extent));
  }
  return {{"name", array.name},    {"type", std::string(ElementName(array))},
          {"extents", extents},    {"in", array.copy_in},
          {"out", array.copy_out}, {"constant", array.constant}};
}

}  // namespace

std::string InterfaceJson(const graph::Graph& graph) {
  Json parameters = Json::array();
  for (const graph::ParameterId id : graph::SizesOf(graph)) {
    const graph::Parameter& parameter = graph.parameters[id];
    parameters.push_back({{"name", parameter.name},
                          {"default", NumberOrNull(parameter.default_value)},
                          {"fixed", NumberOrNull(parameter.fixed)}});
  }
  Json arguments = Json::array();
  for (const graph::Array& array : graph.arrays) {
    if (!array.local) arguments.push_back(ArgumentJson(graph, array));
  }
  const Json interface = {{"function", graph.name},
                          {"iterators", graph.iterators},
                          {"parameters", parameters},
                          {"arguments", arguments}};
  return interface.dump(2) + "\n";
}

}  // namespace stencilgen::driver
