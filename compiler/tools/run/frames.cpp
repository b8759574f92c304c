#include "tools/run/frames.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "driver/option_values.h"
#include "support/match.h"
#include "tools/run/arguments.h"
#include "tools/run/execute.h"

namespace stencilgen::driver {

namespace {

using graph::Graph;
using graph::LinearForm;
using graph::Loop;
using graph::ParameterId;

bool DependsOn(const LinearForm& form, ParameterId parameter) {
  return std::any_of(form.terms.begin(), form.terms.end(),
                     [&](const auto& term) { return term.first == parameter; });
}

/// True where the loop has as many turns as the parameter says.
bool Counts(const Loop& loop, ParameterId parameter) {
  return loop.turns.divisor == 1 && !loop.turns.remainder &&
         loop.turns.count == LinearForm::Parameter(parameter);
}

/// The array, if there is one, whose memory is laid out otherwise for other values.
const graph::Array* ShapedBy(const Graph& graph, ParameterId parameter) {
  for (const graph::Array& array : graph.arrays) {
    for (std::size_t d = 1; d < array.rank(); ++d) {
      if (DependsOn(array.extents[d], parameter)) return &array;
    }
  }
  return nullptr;
}

/// The inputs of a program of fewer turns: of arrays as long as there are turns, the beginning.
std::map<std::string, graph::Values> InputsFor(const Graph& graph, const RunInputs& inputs,
                                               const graph::ParameterValues& parameters) {
  std::map<std::string, graph::Values> values = InterpreterInputs(inputs);
  for (const graph::Array& array : graph.arrays) {
    const auto found = values.find(array.name);
    if (array.local || found == values.end()) continue;
    std::size_t count = 1;
    for (const LinearForm& extent : array.extents) {
      count *= static_cast<std::size_t>(graph::Evaluate(extent, parameters));
    }
    Match(found->second, [&](auto& elements) { elements.resize(count); });
  }
  return values;
}

/// How much of the work is done after the frame, where each begins at the first turn.
class WorkDone {
 public:
  WorkDone(const FrameRequest& request, bool goes_on) : goes_on_(goes_on) {
    for (const std::int64_t turns : request.turns) all_ += WorkOf(turns);
  }
  double After(std::int64_t turns) {
    done_ += WorkOf(turns);
    return done_ / all_;
  }

 private:
  double WorkOf(std::int64_t turns) const { return goes_on_ ? 1 : static_cast<double>(turns); }
  bool goes_on_;
  double all_ = 0;
  double done_ = 0;
};

}  // namespace

std::variant<ParameterId, UsageError> FindTurns(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  std::vector<ParameterId> found;
  for (const ParameterId id : graph.parameters.Ids()) {
    const bool counts = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
      const auto* loop = std::get_if<Loop>(&node);
      return loop != nullptr && Counts(*loop, id);
    });
    if (!counts) continue;
    names.push_back(graph.parameters[id].name);
    found.push_back(id);
  }
  if (found.empty()) {
    return UsageError{
        "pictures over time need a loop whose turns a parameter counts, and the "
        "program has none",
        "write `iterate T { ... }` with `parameter T=100;`"};
  }
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end() && !name.empty()) {
    return UsageError{fmt::format("--every: `{}` counts no loop's turns", name),
                      NameHint(name, names, "parameters that do")};
  }
  if (name.empty() && found.size() > 1) {
    return UsageError{fmt::format("pictures over time: {} count turns", Enumerate(names)),
                      fmt::format("say which with --every {}=10", names.front())};
  }
  const ParameterId parameter =
      found[name.empty() ? 0 : static_cast<std::size_t>(at - names.begin())];
  if (const graph::Array* array = ShapedBy(graph, parameter)) {
    return UsageError{fmt::format("pictures over time: the shape of `{}` follows from `{}`",
                                  array->name, graph.parameters[parameter].name),
                      "only the outermost extent of an array may"};
  }
  return parameter;
}

bool GoesOn(const Graph& graph, ParameterId turns) {
  const auto& nodes = graph.regions[graph.root].nodes;
  if (nodes.size() != 1) return false;
  const auto* loop = std::get_if<Loop>(&graph.nodes[nodes.front()]);
  if (loop == nullptr || !Counts(*loop, turns) || loop->turn.Valid() || loop->stop) return false;
  const bool shaped =
      std::any_of(graph.arrays.begin(), graph.arrays.end(), [&](const graph::Array& array) {
        return array.rank() > 0 && DependsOn(array.extents.front(), turns);
      });
  if (shaped) return false;
  return std::all_of(loop->carried.begin(), loop->carried.end(), [&](const auto& carried) {
    return graph.arrays[carried.array].copy_in &&
           std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](const auto& output) {
             return output.array == carried.array && output.version == carried.result;
           });
  });
}

std::string ComputeFrames(const HostLibrary& library, const std::string& name,
                          const RunInputs& inputs, const FrameRequest& request,
                          const TakeFrame& take, const std::function<void(double)>& part) {
  const bool goes_on = request.goes_on;
  HostArguments arguments(inputs);
  WorkDone work(request, goes_on);
  std::int64_t before = 0;
  for (const std::int64_t turns : request.turns) {
    if (!goes_on) arguments.Restore();
    arguments.params[request.parameter.index] = static_cast<int>(goes_on ? turns - before : turns);
    before = turns;
    const int status = library.Call(name, arguments.arrays, arguments.scalars, arguments.params);
    if (status != 0) {
      const std::string error = library.Error(name);
      return error.empty() ? fmt::format("the host function returned {}", status) : error;
    }
    std::vector<graph::Values> contents;
    for (const std::string& array : request.arrays) contents.push_back(arguments.Contents(array));
    take(turns, contents);
    part(work.After(turns));
  }
  return "";
}

std::string InterpretFrames(const Graph& graph, const RunInputs& inputs,
                            const FrameRequest& request, const TakeFrame& take,
                            const std::function<void(double)>& part) {
  const std::vector<std::string> outputs = OutputNames(graph);
  WorkDone work(request, false);
  for (const std::int64_t turns : request.turns) {
    graph::ParameterValues parameters = inputs.parameters;
    parameters[request.parameter.index] = turns;
    const graph::InterpretResult result =
        graph::Interpret(graph, parameters, InputsFor(graph, inputs, parameters));
    if (!result.error.empty()) return result.error;
    std::vector<graph::Values> contents;
    for (const std::string& array : request.arrays) {
      const auto output = std::find(outputs.begin(), outputs.end(), array) - outputs.begin();
      contents.push_back(result.outputs[static_cast<std::size_t>(output)]);
    }
    take(turns, contents);
    part(work.After(turns));
  }
  return "";
}

}  // namespace stencilgen::driver
