#include "graph/interpret.h"

#include <algorithm>
#include <memory>
#include <new>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "graph/element_format.h"
#include "graph/interpret_operator.h"
#include "graph/lifetimes.h"
#include "graph/turns.h"
#include "support/match.h"
#include "support/parallel.h"

namespace stencilgen::graph {
namespace {

// Beyond this an array is taken for a mistake in its sizes.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;
// Fewer points are not worth a thread.
constexpr std::size_t kPointsAThread = std::size_t{1} << 15;

class Interpreter {
 public:
  Interpreter(const Graph& graph, const ParameterValues& parameters,
              const std::map<std::string, Values>& inputs, const InterpretOptions& options)
      : graph_(graph),
        parameters_(parameters),
        inputs_(inputs),
        options_(options),
        lifetimes_(FindLifetimes(graph)),
        programs_(graph.nodes.size()),
        by_turn_(graph.nodes.size(), false),
        contents_(graph.versions.size()),
        threads_(options.threads > 0 ? options.threads : Cores()) {}

  InterpretResult Run() {
    try {
      return RunProgram();
    } catch (const std::bad_alloc&) {
      return {"not enough memory for the arrays", {}, {}};
    } catch (const std::system_error& error) {
      return {fmt::format("cannot start a thread: {}", error.what()), {}, {}};
    }
  }

 private:
  InterpretResult RunProgram() {
    InterpretResult result;
    if (CheckParameters() && MakeShapes() && CheckInputs()) {
      if (options_.progress) points_ = PointsOf(graph_.root);
      RunRegion(graph_.root);
    }
    if (error_.empty()) {
      for (const Output& output : graph_.outputs) {
        const Contents& contents = *Get(output.version);
        result.outputs.push_back(contents.values);
        result.defined.push_back(contents.defined.empty()
                                     ? std::vector<std::uint8_t>(SizeOf(contents.values), 1)
                                     : contents.defined);
      }
    }
    result.error = error_;
    return result;
  }

  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }

  bool CheckParameters() {
    if (parameters_.size() != graph_.parameters.size()) {
      return Fail(fmt::format("{} parameters are needed, {} are given", graph_.parameters.size(),
                              parameters_.size()));
    }
    for (const ParameterId id : SizesOf(graph_)) {
      const Parameter& parameter = graph_.parameters[id];
      const std::int64_t value = parameters_[id.index];
      if (value < 1) {
        return Fail(
            fmt::format("parameter '{}' is {}, but must be at least 1", parameter.name, value));
      }
      if (parameter.fixed && *parameter.fixed != value) {
        return Fail(fmt::format("parameter '{}' is {}, but the program was compiled for {}",
                                parameter.name, value, *parameter.fixed));
      }
    }
    return true;
  }

  bool MakeShapes() {
    for (const Array& array : graph_.arrays) {
      Shape shape;
      shape.strides.resize(array.rank());
      for (std::size_t d = array.rank(); d-- > 0;) {
        const std::int64_t extent =
            std::max<std::int64_t>(Evaluate(array.extents[d], parameters_), 0);
        shape.extents.insert(shape.extents.begin(), extent);
        shape.strides[d] = shape.size;
        if (extent > kMaxElements || shape.size * extent > kMaxElements) {
          return Fail(
              fmt::format("array '{}' has more than {} elements", array.name, kMaxElements));
        }
        shape.size *= extent;
      }
      shapes_.push_back(std::move(shape));
    }
    return true;
  }

  ScalarType Computed(ScalarType type) const {
    return options_.precision == Precision::Double && type == ScalarType::Float ? ScalarType::Double
                                                                                : type;
  }

  bool CheckInputs() {
    for (const ArrayId id : graph_.arrays.Ids()) {
      const Array& array = graph_.arrays[id];
      if (array.local) continue;
      const auto input = inputs_.find(array.name);
      if (input == inputs_.end()) {
        if (!array.copy_in && array.rank() > 0) continue;
        return Fail(fmt::format("no value is given for '{}'", array.name));
      }
      const std::size_t type = input->second.index();
      if (type != MakeValues(array.type, 0).index() &&
          type != MakeValues(Computed(array.type), 0).index()) {
        return Fail(fmt::format("the values given for '{}' are not of type {}", array.name,
                                ToString(array.type)));
      }
      const auto size = static_cast<std::size_t>(shapes_[id.index].size);
      if (SizeOf(input->second) != size) {
        return Fail(fmt::format("'{}' has {} elements, but {} are given", array.name, size,
                                SizeOf(input->second)));
      }
    }
    return true;
  }

  /// What the version holds; made on first use where the version is a beginning.
  const ContentsPtr& Get(VersionId version) {
    ContentsPtr& contents = contents_[version.index];
    if (contents == nullptr) contents = MakeInitial(graph_.versions[version].array);
    return contents;
  }

  ContentsPtr MakeInitial(ArrayId id) const {
    const Array& array = graph_.arrays[id];
    const auto size = static_cast<std::size_t>(shapes_[id.index].size);
    auto contents = std::make_shared<Contents>();
    const auto input = array.local ? inputs_.end() : inputs_.find(array.name);
    if (input == inputs_.end()) {
      contents->values = MakeValues(Computed(array.type), size);
    } else if (const auto* floats = std::get_if<std::vector<float>>(&input->second);
               floats != nullptr && options_.precision == Precision::Double) {
      contents->values = std::vector<double>(floats->begin(), floats->end());
    } else {
      contents->values = input->second;
    }
    if (options_.precision == Precision::Program) RoundToNearest(array.format, contents->values);
    const bool given = input != inputs_.end() && array.copy_out;
    const bool has_value =
        !array.local && (array.copy_in || array.constant || array.rank() == 0 || given);
    if (!has_value) contents->defined.assign(size, 0);
    return contents;
  }

  /// Points of all statements that running the region computes.
  double PointsOf(RegionId region) const {
    double points = 0;
    for (const NodeId node : graph_.regions[region].nodes) {
      points += Match(
          graph_.nodes[node], [&](const Operator& op) { return PointsOf(op); },
          [&](const Loop& loop) {
            return static_cast<double>(Evaluate(loop.turns, parameters_)) * PointsOf(loop.body);
          });
    }
    return points;
  }

  double PointsOf(const Operator& op) const {
    double points = 1;
    for (const Interval& interval : op.domain.intervals) {
      points *= static_cast<double>(Evaluate(interval, parameters_).size());
    }
    return points;
  }

  bool RunRegion(RegionId region) {
    const std::vector<NodeId>& nodes = graph_.regions[region].nodes;
    for (std::size_t place = 0; place < nodes.size(); ++place) {
      const std::vector<VersionId>& ending = lifetimes_.ending[region.index][place];
      const bool good = Match(
          graph_.nodes[nodes[place]],
          [&](const Operator& op) { return RunOperator(nodes[place], op, ending); },
          [&](const Loop& loop) { return RunLoop(nodes[place], loop, ending); });
      if (!good) return false;
      for (const VersionId version : ending) Release(version);
    }
    return true;
  }

  void Release(VersionId version) { spare_.Release(std::move(contents_[version.index])); }

  bool RunOperator(NodeId node, const Operator& op, const std::vector<VersionId>& ending) {
    std::unique_ptr<OperatorProgram>& program = programs_[node.index];
    const bool changes = program != nullptr && by_turn_[node.index];
    if (program == nullptr || changes) {
      by_turn_[node.index] = !TurnsUsed(graph_, op).empty();
      program =
          std::make_unique<OperatorProgram>(graph_, op, parameters_, shapes_, options_.precision);
    }
    for (const VersionId version : program->ReadVersions()) Get(version);
    ContentsPtr result;
    if (!op.background.Valid()) {
      result = MakeInitial(graph_.versions[op.result].array);
    } else {
      const ContentsPtr& background = Get(op.background);
      // In place where nobody looks at the background any more.
      const bool last_use = std::binary_search(ending.begin(), ending.end(), op.background);
      const bool in_place =
          last_use && background.use_count() == 1 && program->ReadsOnlyItsOwnPoint(op.background);
      if (in_place) {
        result = background;
      } else {
        result = spare_.Take(*background);
        const ArrayId array = graph_.versions[op.result].array;
        CopyOutside(*background, shapes_[array.index], program->WrittenBox(), *result);
      }
    }
    const std::string error =
        program->Execute(contents_, *result, threads_, options_.threads > 0 ? 1 : kPointsAThread);
    if (!error.empty()) return Fail(error);
    contents_[op.result.index] = std::move(result);
    if (options_.progress) {
      points_done_ += PointsOf(op);
      options_.progress(points_ > 0 ? points_done_ / points_ : 1);
    }
    return true;
  }

  bool RunLoop(NodeId node, const Loop& loop, const std::vector<VersionId>& ending) {
    if (const std::int64_t count = Evaluate(loop.turns.count, parameters_); count < 0) {
      return Fail(fmt::format("the iteration count {} is {}, but must not be negative",
                              ToString(loop.turns.count, ParameterNames(graph_)), count));
    }
    std::vector<ContentsPtr> current;
    for (const Carried& carried : loop.carried) current.push_back(Get(carried.initial));
    const bool none = loop.unless.Valid() && Holds(loop.unless);
    // The first iteration may write in place what only the loop still refers to.
    const std::set<VersionId>& inside = lifetimes_.used_inside[node.index];
    for (const VersionId version : ending) {
      if (inside.count(version) == 0) Release(version);
    }
    const std::int64_t turns = none ? 0 : Evaluate(loop.turns, parameters_);
    const std::int64_t first = FirstTurn(loop.turns, parameters_);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      if (loop.turn.Valid()) parameters_[loop.turn.index] = first + turn;
      for (std::size_t k = 0; k < current.size(); ++k) {
        contents_[loop.carried[k].entry.index] = std::move(current[k]);
      }
      if (!RunRegion(loop.body)) return false;
      for (std::size_t k = 0; k < current.size(); ++k) current[k] = Get(loop.carried[k].next);
      const bool stops = loop.stop && Stops(*loop.stop, turn);
      for (const VersionId version : lifetimes_.kept_to_end[loop.body.index]) Release(version);
      if (stops) break;
    }
    for (std::size_t k = 0; k < current.size(); ++k) {
      contents_[loop.carried[k].result.index] = std::move(current[k]);
    }
    return true;
  }

  /// Whether the loop ends after the turn, counted from 0.
  bool Stops(const Stop& stop, std::int64_t turn) {
    return (turn + 1) % Evaluate(stop.every, parameters_) == 0 && Holds(stop.condition);
  }
  bool Holds(VersionId condition) {
    return Match(Get(condition)->values, [](const auto& values) { return values[0] != 0; });
  }

  const Graph& graph_;
  ParameterValues parameters_;  // and the turns of the loops that run
  const std::map<std::string, Values>& inputs_;
  const InterpretOptions& options_;
  const Lifetimes lifetimes_;
  std::vector<Shape> shapes_;                               // by array
  std::vector<std::unique_ptr<OperatorProgram>> programs_;  // by node, made on first use
  std::vector<bool> by_turn_;                               // by node: depends on a turn
  std::vector<ContentsPtr> contents_;                       // by version
  SpareContents spare_;
  std::vector<RowScratch> threads_;  // one a thread
  double points_ = 0;                // of the whole program, where somebody asks for progress
  double points_done_ = 0;
  std::string error_;
};

}  // namespace

InterpretResult Interpret(const Graph& graph, const ParameterValues& parameters,
                          const std::map<std::string, Values>& inputs,
                          const InterpretOptions& options) {
  return Interpreter(graph, parameters, inputs, options).Run();
}

}  // namespace stencilgen::graph
