#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "driver/host_library.h"
#include "driver/options.h"
#include "graph/graph.h"
#include "graph/interpret.h"
#include "tools/run/run_inputs.h"

/// A result after some turns of a program's loop, and some more: what a program gives when the
/// parameter that counts the turns has these values.
namespace stencilgen::driver {

/// The parameter that counts the turns of a loop and may be varied: the one of that name, or the
/// only one. An error where there is none, where there are several, or where the shape of an array
/// follows from it along another dimension than the outermost.
std::variant<graph::ParameterId, UsageError> FindTurns(const graph::Graph& graph,
                                                       const std::string& name);

/// True where the program run for some turns, and then for some more on what it has left, gives
/// what it gives for all of them: it is one loop without a condition that knows no number of its
/// turn, and each array it carries from turn to turn is copied in and out.
bool GoesOn(const graph::Graph& graph, graph::ParameterId turns);

struct FrameRequest {
  graph::ParameterId parameter;
  std::vector<std::string> arrays;  ///< that are copied out; those that are drawn come first
  std::size_t drawn = 0;
  bool goes_on = false;             ///< GoesOn
  std::vector<std::int64_t> turns;  ///< rising, from 1 on, to the parameter's value in the inputs
};

/// Gets what each array of the request holds after so many turns.
using TakeFrame =
    std::function<void(std::int64_t turns, const std::vector<graph::Values>& contents)>;

/// Runs the library's program for each of the turns. `part`: hears how much is done, from 0 to 1.
/// What went wrong; empty where nothing did.
std::string ComputeFrames(const HostLibrary& library, const std::string& name,
                          const RunInputs& inputs, const FrameRequest& request,
                          const TakeFrame& take, const std::function<void(double)>& part);

/// The same by the interpreter.
std::string InterpretFrames(const graph::Graph& graph, const RunInputs& inputs,
                            const FrameRequest& request, const TakeFrame& take,
                            const std::function<void(double)>& part);

}  // namespace stencilgen::driver
