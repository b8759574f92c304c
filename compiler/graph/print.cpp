#include "graph/print.h"

#include <fmt/format.h>

#include "graph/print_expr.h"
#include "graph/reduction.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

std::string BoundText(const Bound& bound, std::string_view rounding,
                      const std::vector<std::string>& names) {
  std::string numerator = ToString(bound.numerator, names);
  if (bound.divisor == 1) return numerator;
  return fmt::format("{}(({})/{})", rounding, numerator, bound.divisor);
}

std::string BoundsText(const std::vector<Bound>& bounds, std::string_view choice,
                       std::string_view rounding, const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  texts.reserve(bounds.size());
  for (const Bound& bound : bounds) texts.push_back(BoundText(bound, rounding, names));
  if (texts.size() == 1) return texts.front();
  return fmt::format("{}({})", choice, fmt::join(texts, ", "));
}

/// True where the target is the operator's iterators in their order.
bool IsPlainTarget(const Operator& op) {
  if (op.target.size() != op.iterators.size()) return false;
  for (std::size_t d = 0; d < op.target.size(); ++d) {
    if (!IsPlain(op.target[d]) || op.target[d].iterator != op.iterators[d]) return false;
  }
  return true;
}

class GraphPrinter {
 public:
  explicit GraphPrinter(const Graph& graph)
      : graph_(graph), parameters_(ParameterNames(graph)), versions_(VersionNames(graph)) {}

  std::string Print() {
    Line("graph {}", graph_.name);
    Line("iterators {}", fmt::join(graph_.iterators, ", "));
    for (const ParameterId id : SizesOf(graph_)) PrintParameter(graph_.parameters[id]);
    for (std::size_t it = 0; it < graph_.unroll_wishes.size(); ++it) {
      if (graph_.unroll_wishes[it] != 1) {
        Line("unroll {} = {}", graph_.iterators[it], graph_.unroll_wishes[it]);
      }
    }
    for (const Array& array : graph_.arrays) PrintArray(array);
    PrintRegion(graph_.root);
    for (const Output& output : graph_.outputs) {
      Line("output {} = {}", graph_.arrays[output.array].name, versions_[output.version.index]);
    }
    for (const WantedPlaces& wanted : graph_.wanted) {
      Line("wanted {} in {}..{}", graph_.iterators[static_cast<std::size_t>(wanted.iterator)],
           ToString(wanted.first, parameters_), ToString(wanted.end - 1, parameters_));
    }
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_.push_back('\n');
  }

  void PrintParameter(const Parameter& parameter) {
    if (parameter.fixed) {
      Line("parameter {} fixed to {}", parameter.name, *parameter.fixed);
    } else if (parameter.default_value) {
      Line("parameter {} = {}", parameter.name, *parameter.default_value);
    } else {
      Line("parameter {}", parameter.name);
    }
  }

  void PrintArray(const Array& array) {
    std::string extents;
    for (const LinearForm& extent : array.extents) {
      fmt::format_to(std::back_inserter(extents), "[{}]", ToString(extent, parameters_));
    }
    const std::string part =
        array.component
            ? fmt::format(" part {} of {}", array.component->number, array.component->whole)
            : "";
    constexpr std::string_view kWishes[] = {"", " shmem", " gmem", " no-shmem"};
    Line("{} {}{}{}{}{}{}{}{}", ElementName(array), array.name, extents, part,
         array.local ? " local" : "", array.constant ? " constant" : "",
         array.copy_in ? " copyin" : "", array.copy_out ? " copyout" : "",
         kWishes[static_cast<std::size_t>(array.wish)]);
  }

  void PrintRegion(RegionId region) {
    for (const NodeId node : graph_.regions[region].nodes) {
      Match(
          graph_.nodes[node], [&](const Operator& op) { PrintOperator(op); },
          [&](const Loop& loop) { PrintLoop(loop); });
    }
  }

  void PrintOperator(const Operator& op) {
    std::string head = versions_[op.result.index];
    if (!IsPlainTarget(op) && !op.reduction) {
      for (const Index& index : op.target) {
        fmt::format_to(std::back_inserter(head), "[{}]", IndexText(graph_, parameters_, index));
      }
    }
    fmt::format_to(std::back_inserter(head), " = {}", op.stencil);
    const std::string domain = PrintDomain(graph_, op);
    if (!domain.empty()) fmt::format_to(std::back_inserter(head), " {}", domain);
    if (op.background.Valid()) {
      fmt::format_to(std::back_inserter(head), " over {}", versions_[op.background.index]);
    }
    const ExprPrinter printer(graph_, op, parameters_, versions_);
    const std::string how = op.reduction ? ToString(*op.reduction) + " of " : "";
    Line("{}: {}{}", head, how, printer.Print(op.value));
    ++depth_;
    for (const Let& let : op.lets) {
      Line("let {} {} = {}", ToString(let.type), let.name, printer.Print(let.value));
    }
    --depth_;
  }

  void PrintLoop(const Loop& loop) {
    Line("loop {}{}", TurnsText(loop, parameters_), StopText(loop, parameters_, versions_));
    ++depth_;
    for (const Carried& carried : loop.carried) {
      Line("carry {}: first {}, next {}, after {}", versions_[carried.entry.index],
           versions_[carried.initial.index], versions_[carried.next.index],
           versions_[carried.result.index]);
    }
    PrintRegion(loop.body);
    --depth_;
  }

  const Graph& graph_;
  const std::vector<std::string> parameters_;
  const std::vector<std::string> versions_;
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::vector<std::string> VersionNames(const Graph& graph) {
  std::vector<int> seen(graph.arrays.size(), 0);
  std::vector<std::string> names;
  names.reserve(graph.versions.size());
  for (const Version& version : graph.versions) {
    names.push_back(
        fmt::format("{}.{}", graph.arrays[version.array].name, seen[version.array.index]++));
  }
  return names;
}

std::string TurnsText(const Loop& loop, const std::vector<std::string>& names) {
  const std::string turns = ToString(loop.turns, names);
  return loop.turn.Valid() ? fmt::format("{} : {}", names[loop.turn.index], turns) : turns;
}

std::string StopText(const Loop& loop, const std::vector<std::string>& names,
                     const std::vector<std::string>& versions) {
  std::string text;
  if (loop.unless.Valid()) text += fmt::format(" unless {}", versions[loop.unless.index]);
  if (!loop.stop) return text;
  text += fmt::format(" until {}", versions[loop.stop->condition.index]);
  if (loop.stop->every == LinearForm::Constant(1)) return text;
  return fmt::format("{} every {}", text, ToString(loop.stop->every, names));
}

std::string PrintDomain(const Graph& graph, const Operator& op) {
  const std::vector<std::string> names = ParameterNames(graph);
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < op.domain.intervals.size(); ++k) {
    const Interval& interval = op.domain.intervals[k];
    parts.push_back(fmt::format("{} in {}..{}",
                                graph.iterators[static_cast<std::size_t>(op.iterators[k])],
                                BoundsText(interval.lower, "max", "ceil", names),
                                BoundsText(interval.upper, "min", "floor", names)));
  }
  for (const LinearForm& guard : op.domain.guards) {
    parts.push_back(fmt::format("{} >= 0", ToString(guard, names)));
  }
  return parts.empty() ? "" : fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string PrintExpr(const Graph& graph, const Operator& op, ExprId expr) {
  const std::vector<std::string> parameters = ParameterNames(graph);
  const std::vector<std::string> versions = VersionNames(graph);
  return ExprPrinter(graph, op, parameters, versions).Print(expr);
}

std::string Print(const Graph& graph) {
  return GraphPrinter(graph).Print();
}

}  // namespace stencilgen::graph
