#include "support/program_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "graph/element_format.h"
#include "support/prng.h"

namespace stencilgen::testing {
namespace {

graph::Values RandomValues(Prng* prng, ScalarType type, std::size_t count, double lowest) {
  graph::Values values = graph::MakeValues(type, count);
  std::visit(
      [&](auto& elements) {
        using T = typename std::decay_t<decltype(elements)>::value_type;
        for (T& element : elements) {
          if constexpr (std::is_floating_point_v<T>) {
            const double unit = 0.5 * (prng->Unit() + 1);
            element = static_cast<T>(lowest + (1 - lowest) * unit);
          } else if (type == ScalarType::Bool) {
            element = static_cast<T>(prng->Below(2));
          } else {
            element = static_cast<T>(lowest < 0 ? prng->Range(-9, 9) : prng->Below(2));
          }
        }
      },
      values);
  return values;
}

template <typename T>
bool SameBits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  // The bits.  NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

std::string Place(const RunObject& array, std::size_t index) {
  std::vector<std::size_t> subscripts;
  for (std::size_t d = array.shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(array.shape[d]);
    subscripts.insert(subscripts.begin(), index % extent);
    index /= extent;
  }
  return fmt::format("{}[{}]", array.name, fmt::join(subscripts, "]["));
}

template <typename T>
std::string CompareElements(const RunObject& array, const std::vector<T>& values,
                            const std::vector<T>& reference,
                            const std::vector<std::uint8_t>& defined, double tolerance) {
  double error = 0, norm = 0;
  std::size_t count = 0;
  for (std::size_t n = 0; n < reference.size(); ++n) {
    if (!defined[n]) continue;
    const T got = values[n], want = reference[n];
    const bool exact = tolerance == 0 || !std::is_floating_point_v<T>;
    const bool finite =
        std::isfinite(static_cast<double>(got)) && std::isfinite(static_cast<double>(want));
    if ((exact && !SameBits(got, want)) ||
        (!exact && !finite && std::isfinite(static_cast<double>(want)))) {
      return fmt::format("{} is {}, should be {}", Place(array, n), +got, +want);
    }
    if (!finite) continue;
    ++count;
    const double difference = static_cast<double>(got) - static_cast<double>(want);
    error += difference * difference;
    norm += static_cast<double>(want) * static_cast<double>(want);
  }
  if (tolerance == 0 || count == 0) return "";
  // Values are of the order of 1; a field that happens to be almost zero is compared with that.
  const double scale = std::max(std::sqrt(norm / static_cast<double>(count)), 0.1);
  const double relative = std::sqrt(error / static_cast<double>(count)) / scale;
  if (relative <= tolerance) return "";
  return fmt::format("{}: relative RMS error {:.3g}, more than {:.3g}", array.name, relative,
                     tolerance);
}

RunObject MakeObject(const graph::Graph& graph, const graph::Array& array,
                     const graph::ParameterValues& parameters) {
  RunObject object;
  object.name = array.name;
  object.type = array.type;
  object.format = array.format;
  object.copy_in = array.copy_in || array.rank() == 0;
  for (const graph::LinearForm& extent : array.extents) {
    object.shape.push_back(graph::Evaluate(extent, parameters));
  }
  for (std::size_t n = 0; n < graph.outputs.size(); ++n) {
    if (graph.arrays[graph.outputs[n].array].name == array.name)
      object.output = static_cast<int>(n);
  }
  return object;
}

}  // namespace

graph::Values ValuesOf(const RunObject& object) {
  graph::Values values = graph::MakeValues(object.type, object.count());
  graph::LoadElements(object.bytes.data(), object.format, values);
  return values;
}

std::vector<std::uint8_t> ToBytes(const graph::Values& values, ElementFormat format) {
  std::vector<std::uint8_t> bytes(graph::BytesOf(values, format));
  graph::StoreElements(values, format, bytes.data());
  return bytes;
}

ProgramRun PrepareRun(const graph::Graph& graph, const TestProgram& program, std::size_t run,
                      std::uint64_t seed) {
  ProgramRun result;
  for (const graph::Parameter& parameter : graph.parameters) {
    const auto given = program.sizes[run].find(parameter.name);
    result.parameters.push_back(
        given != program.sizes[run].end() ? given->second : parameter.default_value.value_or(1));
    result.sizes[parameter.name] = result.parameters.back();
  }
  std::map<std::string, graph::Values> inputs;
  for (const graph::Array& array : graph.arrays) {
    if (array.local) continue;
    RunObject object = MakeObject(graph, array, result.parameters);
    std::size_t count = 1;
    for (const std::int64_t extent : object.shape) count *= static_cast<std::size_t>(extent);
    if (object.copy_in) {
      Prng prng(seed * 1000003 + run * 7919 + HashName(object.name));
      graph::Values values = RandomValues(&prng, object.type, count, program.lowest_input);
      graph::RoundToNearest(object.format, values);
      object.bytes = ToBytes(values, object.format);
      inputs.emplace(object.name, std::move(values));
    } else {
      object.bytes.assign(count * static_cast<std::size_t>(ElementBytes(object)), 0xff);
    }
    (array.rank() == 0 ? result.scalars : result.arrays).push_back(std::move(object));
  }
  result.reference = graph::Interpret(graph, result.parameters, inputs);
  return result;
}

std::string Compare(const RunObject& array, const std::vector<std::uint8_t>& bytes,
                    const graph::InterpretResult& reference, double tolerance) {
  if (array.output < 0) {
    if (bytes == array.bytes) return "";
    return fmt::format("the host function changed {}, which is not copied out", array.name);
  }
  RunObject got = array;
  got.bytes = bytes;
  return Compare(array, ValuesOf(got), reference, tolerance);
}

std::string Compare(const RunObject& array, const graph::Values& values,
                    const graph::InterpretResult& reference, double tolerance) {
  const auto output = static_cast<std::size_t>(array.output);
  return std::visit(
      [&](const auto& elements) {
        const auto& got = std::get<std::decay_t<decltype(elements)>>(values);
        return CompareElements(array, got, elements, reference.defined[output], tolerance);
      },
      reference.outputs[output]);
}

double FastTolerance(const graph::Graph& graph) {
  const bool single = std::any_of(graph.exprs.begin(), graph.exprs.end(),
                                  [](const graph::Expr& e) { return e.type == ScalarType::Float; });
  return single ? 1e-5 : 1e-12;
}

}  // namespace stencilgen::testing
