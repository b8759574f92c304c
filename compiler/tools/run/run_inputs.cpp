#include "tools/run/run_inputs.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "driver/option_values.h"
#include "graph/element_format.h"
#include "support/check.h"
#include "support/match.h"
#include "tools/run/npy.h"
#include "tools/run/run_scalars.h"

namespace stencilgen::driver {

namespace {

/// SplitMix64, started from the seed and a name (FNV-1a).
class Random {
 public:
  Random(std::uint64_t seed, const std::string& name) {
    for (const char c : name) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    state_ ^= seed * 0x9e3779b97f4a7c15U;
  }
  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// Narrow whole numbers are of all that elements hold.
  void Fill(graph::Values& values, ElementFormat format = ElementFormat::Plain) {
    Match(
        values,
        [&](std::vector<std::uint8_t>& flags) {
          for (std::uint8_t& flag : flags) flag = static_cast<std::uint8_t>(Next() >> 63);
        },
        [&](std::vector<std::int32_t>& numbers) {
          const bool plain = format == ElementFormat::Plain;
          const IntegerRange range = plain ? IntegerRange{0, 3} : RangeOf(format);
          for (std::int32_t& number : numbers) {
            const std::uint64_t room = static_cast<std::uint64_t>(range.largest - range.least) + 1;
            number = range.least + static_cast<std::int32_t>((Next() >> 32) * room >> 32);
          }
        },
        [&](std::vector<float>& numbers) {
          for (float& number : numbers)
            number = std::ldexp(static_cast<float>(Next() >> 40), -23) - 1;
          graph::RoundToNearest(format, values);
        },
        [&](std::vector<double>& numbers) {
          for (double& number : numbers) {
            number = std::ldexp(static_cast<double>(Next() >> 11), -52) - 1;
          }
        });
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

std::variant<std::vector<std::int64_t>, UsageError> ShapeOf(
    const graph::Array& array, const graph::ParameterValues& parameters) {
  std::vector<std::int64_t> shape;
  for (const graph::LinearForm& extent : array.extents) {
    shape.push_back(graph::Evaluate(extent, parameters));
    if (shape.back() >= 1) continue;
    return UsageError{
        fmt::format("array `{}` has the extent {} with these sizes", array.name, shape.back()),
        "use larger sizes: -D NAME=VALUE"};
  }
  return shape;
}

double BytesOf(const HostData& data) {
  double bytes = ElementBytes(data);
  for (const std::int64_t extent : data.shape) bytes *= static_cast<double>(extent);
  return bytes;
}

std::optional<UsageError> CheckMemory(const RunInputs& inputs, const Options& options) {
  double bytes = 0;
  for (const HostData& array : inputs.arrays) bytes += BytesOf(array);
  // The inputs and the arrays the program works on; the interpreter's and the emulator's own.
  const double copies = 2 + (options.run.verify ? 3 : 0) + (options.run.emulate ? 2 : 0);
  const double available = AvailableMemory().value_or(1e15);
  if (bytes * copies <= available) return std::nullopt;
  constexpr double kGigabyte = 1e9;
  return UsageError{fmt::format("the run needs {:.4g} GB of memory, and {:.4g} GB are available",
                                bytes * copies / kGigabyte, available / kGigabyte),
                    "use smaller sizes: -D NAME=VALUE"};
}

/// The arrays that an `--in` gives: one, or the parts of a complex one; none where there is none.
std::vector<HostData*> GivenArrays(RunInputs& inputs, const std::string& name) {
  if (HostData* array = FindData(inputs.arrays, name)) return {array};
  const auto complex = FindComplex(inputs, name);
  if (!complex) return {};
  return {FindData(inputs.arrays, complex->re->name), FindData(inputs.arrays, complex->im->name)};
}

std::optional<UsageError> ReadGiven(const std::vector<HostData*>& arrays, const std::string& file) {
  HostData& first = *arrays.front();
  if (arrays.size() == 1) {
    auto read = ReadNpy(file, first.type, first.shape, first.format);
    if (auto* error = std::get_if<UsageError>(&read)) return *error;
    first.values = std::get<graph::Values>(std::move(read));
    return std::nullopt;
  }
  auto read = ReadComplexNpy(file, first.type, first.shape);
  if (auto* error = std::get_if<UsageError>(&read)) return *error;
  auto& parts = std::get<0>(read);
  for (std::size_t n = 0; n < 2; ++n) arrays[n]->values = std::move(parts[n]);
  return std::nullopt;
}

std::optional<UsageError> FillArrays(RunInputs& inputs, const std::vector<std::string>& outputs,
                                     const Options& options) {
  for (const auto& [name, file] : options.run.in) {
    const std::vector<HostData*> arrays = GivenArrays(inputs, name);
    if (arrays.empty()) {
      return UsageError{fmt::format("--in: the program has no array `{}`", name),
                        NameHint(name, NamesOf(inputs.arrays), "arrays")};
    }
    for (HostData* array : arrays) {
      const bool copied_out =
          std::find(outputs.begin(), outputs.end(), array->name) != outputs.end();
      if (!array->has_value && !copied_out) {
        return UsageError{fmt::format("--in: array `{}` is neither copied in nor out", name),
                          fmt::format("add `copyin {};` to the program", name)};
      }
      if (graph::SizeOf(array->values) > 0) {
        return UsageError{fmt::format("--in: `{}` is given twice", array->name),
                          "keep one of them"};
      }
      array->has_value =
          true;  // what is copied out keeps the caller's values where none are written
    }
    if (auto error = ReadGiven(arrays, file)) return error;
  }
  for (HostData& array : inputs.arrays) {
    if (graph::SizeOf(array.values) > 0) continue;
    std::size_t count = 1;
    for (const std::int64_t extent : array.shape) count *= static_cast<std::size_t>(extent);
    array.values = graph::MakeValues(array.type, count);
    if (array.has_value) Random(options.run.seed, array.name).Fill(array.values, array.format);
  }
  return std::nullopt;
}

void FillScalars(RunInputs& inputs, const Options& options) {
  for (HostData& scalar : inputs.scalars) {
    if (graph::SizeOf(scalar.values) > 0) continue;
    scalar.values = graph::MakeValues(scalar.type, 1);
    Random(options.run.seed, scalar.name).Fill(scalar.values);
  }
}

std::optional<UsageError> CheckOutputs(const graph::Graph& graph, const RunInputs& inputs,
                                       const Options& options) {
  const std::vector<std::string> outputs = OutputNames(graph);
  const auto check = [&](std::string_view option,
                         const std::string& name) -> std::optional<UsageError> {
    if (std::find(outputs.begin(), outputs.end(), name) != outputs.end()) return std::nullopt;
    return UsageError{fmt::format("{}: `{}` is no copyout array", option, name),
                      NameHint(name, outputs, "copyout arrays")};
  };
  for (const auto& [name, file] : options.run.out) {
    const auto complex = FindComplex(inputs, name);
    if (complex && !check("--out", complex->re->name) && !check("--out", complex->im->name))
      continue;
    if (auto error = check("--out", name)) return error;
  }
  const PictureOptions& picture = options.run.picture;
  for (const auto& [name, file] : picture.snapshots) {
    if (auto error = check("--snapshot", name)) return error;
  }
  if (!picture.plot_array.empty()) {
    if (auto error = check("--plot", picture.plot_array)) return error;
  }
  if (!picture.movie_array.empty()) return check("--movie", picture.movie_array);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> NamesOf(const std::vector<HostData>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const HostData& data : all) names.push_back(data.name);
  return names;
}

std::optional<ComplexArray> FindComplex(const RunInputs& inputs, const std::string& name) {
  const HostData* re = FindData(inputs.arrays, name + "_re");
  const HostData* im = FindData(inputs.arrays, name + "_im");
  if (FindData(inputs.arrays, name) != nullptr || re == nullptr || im == nullptr)
    return std::nullopt;
  const bool pair = SameElements(*re, *im) && re->shape == im->shape;
  if (!pair || !IsFloating(re->type) || re->format != ElementFormat::Plain) return std::nullopt;
  return ComplexArray{re, im};
}

std::variant<graph::ParameterValues, UsageError> ParameterValuesOf(const graph::Graph& graph) {
  graph::ParameterValues values;
  std::vector<std::string> missing;
  for (const graph::Parameter& parameter : graph.parameters) {
    if (parameter.fixed) {
      values.push_back(*parameter.fixed);
    } else if (parameter.turn) {
      values.push_back(1);  // what runs sets it
    } else if (parameter.default_value) {
      values.push_back(*parameter.default_value);
    } else {
      values.push_back(1);
      missing.push_back(parameter.name);
    }
  }
  if (missing.empty()) return values;
  return UsageError{
      fmt::format("no value for {} {}", missing.size() == 1 ? "parameter" : "parameters",
                  Enumerate(missing)),
      fmt::format("give it with -D {}=VALUE", missing.front())};
}

const HostData& RunInputs::Array(const std::string& name) const {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const HostData& data) { return data.name == name; });
  STENCILGEN_CHECK(found != arrays.end());
  return *found;
}

std::variant<RunInputs, UsageError> PrepareInputs(const graph::Graph& graph,
                                                  const Options& options) {
  RunInputs inputs;
  auto parameters = ParameterValuesOf(graph);
  if (auto* error = std::get_if<UsageError>(&parameters)) return *error;
  inputs.parameters = std::get<graph::ParameterValues>(std::move(parameters));
  for (const graph::Array& array : graph.arrays) {
    if (array.local) continue;
    auto shape = ShapeOf(array, inputs.parameters);
    if (auto* error = std::get_if<UsageError>(&shape)) return *error;
    const bool scalar = array.rank() == 0;
    (scalar ? inputs.scalars : inputs.arrays)
        .push_back({array.name,
                    array.type,
                    std::get<0>(shape),
                    scalar || array.copy_in,
                    {},
                    array.format});
  }
  if (auto error = CheckOutputs(graph, inputs, options)) return *error;
  if (auto error = CheckMemory(inputs, options)) return *error;
  if (auto error = ReadScalars(inputs, options)) return *error;
  if (auto error = FillArrays(inputs, OutputNames(graph), options)) return *error;
  FillScalars(inputs, options);
  return inputs;
}

std::vector<std::string> OutputNames(const graph::Graph& graph) {
  std::vector<std::string> names;
  names.reserve(graph.outputs.size());
  for (const graph::Output& output : graph.outputs)
    names.push_back(graph.arrays[output.array].name);
  return names;
}

std::optional<double> AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") return kilobytes * 1024;
  }
  return std::nullopt;
}

}  // namespace stencilgen::driver
