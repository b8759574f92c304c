#include "baseline/plain_nests.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/turns.h"

namespace stencilgen::baseline {

using graph::Operator;
using graph::VersionId;

PlainNests::PlainNests(const PlainNames& names, bool cuda)
    : names_(names), graph_(names.graph()), cuda_(cuda) {
  nests_.Line("using namespace stencilgen;");
  nests_.Line("using Index = {};", cuda_ ? "int" : "long long");
  nests_.Line();
  nests_.Line("/// x modulo n, for x less than n beyond an end.");
  const auto block = nests_.Block("[[maybe_unused]] {}inline Index Wrapped(Index x, Index n)",
                                  cuda_ ? "__device__ " : "");
  nests_.Line("return x < 0 ? x + n : (x < n ? x : x - n);");
}

void PlainNests::Arguments::Add(const std::string& type, const std::string& name) {
  declared.push_back(fmt::format("{} {}", type, name));
  given.push_back(name);
}

PlainNests::Arguments PlainNests::ArgumentsOf(const Operator& op, int result) const {
  Arguments arguments;
  std::set<int> reads;
  std::set<VersionId> scalars;
  for (const graph::ExprId id : graph::Accesses(graph_, op)) {
    const VersionId version = std::get<graph::Access>(graph_.exprs[id].node).version;
    if (names_.TypeOf(version).rank() == 0) {
      scalars.insert(version);
    } else {
      reads.insert(names_.memory().homes.at(version));
    }
  }
  arguments.Add(fmt::format("{}* __restrict__", names_.TypeText(result)),
                names_.BufferOf(result).name);
  reads.erase(result);
  for (const int read : reads) {
    arguments.Add(fmt::format("const {}* __restrict__", names_.TypeText(read)),
                  names_.BufferOf(read).name);
  }
  for (const VersionId scalar : scalars) {
    arguments.Add(fmt::format("const {}", ToString(names_.TypeOf(scalar).type)),
                  names_.ScalarName(scalar));
  }
  AddSizes(&arguments);
  for (const graph::ParameterId turn : graph::TurnsUsed(graph_, op)) {
    arguments.Add("const Index", graph_.parameters[turn].name);
  }
  return arguments;
}

void PlainNests::AddSizes(Arguments* arguments) const {
  for (const graph::ParameterId id : graph::SizesOf(graph_)) {
    arguments->Add("[[maybe_unused]] const Index", graph_.parameters[id].name);
  }
}

std::string PlainNests::BoundText(const graph::Bound& bound, bool lower) const {
  const std::string form = PlainForm(graph_, bound.numerator);
  if (bound.divisor == 1) return fmt::format("Index({})", form);
  return fmt::format("Index({}({}, {}))", lower ? "CeilDiv" : "FloorDiv", form, bound.divisor);
}

std::string PlainNests::BoundsText(const std::vector<graph::Bound>& bounds, bool lower) const {
  std::string text = BoundText(bounds[0], lower);
  for (std::size_t n = 1; n < bounds.size(); ++n) {
    text = fmt::format("{}({}, {})", lower ? "Max" : "Min", text, BoundText(bounds[n], lower));
  }
  return text;
}

const std::string& PlainNests::Iterator(int iterator) const {
  return graph_.iterators[static_cast<std::size_t>(iterator)];
}

std::string PlainNests::TargetText(const Operator& op, int buffer) const {
  std::vector<std::string> indices;
  for (const graph::Index& index : op.target) indices.push_back(PlainIndex(graph_, index));
  const graph::Array& array = graph_.arrays[names_.BufferOf(buffer).array];
  return fmt::format("{}[{}]", names_.BufferOf(buffer).name, PlainPosition(graph_, array, indices));
}

void PlainNests::WritePoint(const Operator& op, int buffer) {
  names_.WriteLets(nests_, op, cuda_);
  nests_.Line("{} = {};", TargetText(op, buffer),
              PlainExpr(graph_, op.value, names_.NamesFor(op), cuda_));
}

void PlainNests::WriteBounds(const Operator& op) {
  for (std::size_t n = 0; n < op.iterators.size(); ++n) {
    const graph::Interval& interval = op.domain.intervals[n];
    nests_.Line("const Index {0}_lo = {1}, {0}_hi = {2};", Iterator(op.iterators[n]),
                BoundsText(interval.lower, true), BoundsText(interval.upper, false));
  }
}

std::string PlainNests::GuardText(const Operator& op) const {
  std::vector<std::string> guards;
  for (const graph::LinearForm& guard : op.domain.guards) {
    guards.push_back(fmt::format("{} >= 0", PlainForm(graph_, guard)));
  }
  return fmt::format("{}", fmt::join(guards, " && "));
}

template <typename Body>
void PlainNests::WriteLoops(const Operator& op, std::size_t depth, Body body) {
  if (depth == op.iterators.size()) return body();
  const auto loop =
      nests_.Block("for (Index {0} = {0}_lo; {0} <= {0}_hi; ++{0})", Iterator(op.iterators[depth]));
  WriteLoops(op, depth + 1, body);
}

template <typename Body>
void PlainNests::WriteKernel(const std::string& function, const Operator& op,
                             const Arguments& arguments, Body body) {
  const auto block =
      nests_.Block("__global__ void {}({})", function, fmt::join(arguments.declared, ", "));
  WriteBounds(op);
  std::vector<std::string> outside;
  // A single element is computed by the first thread.
  if (op.iterators.empty()) outside.emplace_back("threadIdx.x + threadIdx.y > 0");
  for (std::size_t n = 0; n < op.iterators.size(); ++n) {
    const char axis = "xyz"[op.iterators.size() - 1 - n];
    const std::string& it = Iterator(op.iterators[n]);
    nests_.Line("const Index {0} = {0}_lo + Index(blockIdx.{1} * blockDim.{1} + threadIdx.{1});",
                it, axis);
    outside.push_back(fmt::format("{0} > {0}_hi", it));
  }
  nests_.Line("if ({}) return;", fmt::join(outside, " || "));
  body();
}

std::string PlainNests::Statement(const Operator& op, int buffer) {
  const std::string function = fmt::format("statement_{}", ++functions_);
  const Arguments arguments = ArgumentsOf(op, buffer);
  nests_.Line();
  if (cuda_) {
    WriteKernel(function, op, arguments, [&] { WritePoint(op, buffer); });
  } else {
    const auto block = nests_.Block("void {}({})", function, fmt::join(arguments.declared, ", "));
    WriteBounds(op);
    nests_.Line("#pragma omp parallel for");
    WriteLoops(op, 0, [&] { WritePoint(op, buffer); });
  }
  return WriteCall(function, op, arguments);
}

std::string PlainNests::Border(const Operator& op, const Store& store) {
  const std::string function = fmt::format("border_{}", functions_);
  const graph::Array& array = graph_.arrays[names_.BufferOf(store.buffer).array];
  Arguments arguments;
  arguments.Add(fmt::format("{}* __restrict__", names_.TypeText(store.buffer)),
                names_.BufferOf(store.buffer).name);
  arguments.Add(fmt::format("const {}* __restrict__", names_.TypeText(store.buffer)),
                names_.BufferOf(store.border_from).name);
  AddSizes(&arguments);
  const bool plain = std::all_of(op.target.begin(), op.target.end(), graph::IsPlain);
  // Every point of the array, through an operator that has the whole of it as its domain.
  Operator all = op;
  std::vector<std::string> inside;
  std::vector<std::string> names;
  all.iterators.clear();
  all.domain = {};
  for (std::size_t d = 0; d < array.extents.size(); ++d) {
    all.iterators.push_back(static_cast<int>(d));
    names.push_back(Iterator(static_cast<int>(d)));
    all.domain.intervals.push_back(
        {{{graph::LinearForm::Constant(0), 1}}, {{array.extents[d] - 1, 1}}});
  }
  for (std::size_t d = 0; d < op.target.size() && plain; ++d) {
    const auto at = std::find(op.iterators.begin(), op.iterators.end(), op.target[d].iterator);
    const graph::Interval& interval =
        op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
    inside.push_back(fmt::format("{} <= {} && {} <= {}", BoundsText(interval.lower, true), names[d],
                                 names[d], BoundsText(interval.upper, false)));
  }
  const auto copy = [&] {
    if (plain) nests_.Line("if ({}) {};", fmt::join(inside, " && "), cuda_ ? "return" : "continue");
    const std::string position = PlainPosition(graph_, array, names);
    nests_.Line("{}[{}] = {}[{}];", names_.BufferOf(store.buffer).name, position,
                names_.BufferOf(store.border_from).name, position);
  };
  nests_.Line();
  if (cuda_) {
    WriteKernel(function, all, arguments, copy);
  } else {
    const auto block = nests_.Block("void {}({})", function, fmt::join(arguments.declared, ", "));
    WriteBounds(all);
    nests_.Line("#pragma omp parallel for");
    WriteLoops(all, 0, copy);
  }
  return WriteCall(function, all, arguments);
}

std::string PlainNests::WriteCall(const std::string& function, const Operator& op,
                                  const Arguments& arguments) {
  std::string call = fmt::format("{}({});", function, fmt::join(arguments.given, ", "));
  if (cuda_) {
    std::vector<std::string> points;
    for (std::size_t n = op.iterators.size(); n-- > 0;) {
      const graph::Interval& interval = op.domain.intervals[n];
      points.push_back(fmt::format("{} - {} + 1", BoundsText(interval.upper, false),
                                   BoundsText(interval.lower, true)));
    }
    const bool row = points.size() <= 1;
    points.resize(3, "1");
    call = fmt::format("if (!Run({}, {}, {}, {}, {}, {})) return error.status();", function,
                       row ? "256, 1" : "32, 8", points[0], points[1], points[2],
                       fmt::join(arguments.given, ", "));
  }
  const std::string guard = GuardText(op);
  return guard.empty() ? call : fmt::format("if ({}) {{ {} }}", guard, call);
}

}  // namespace stencilgen::baseline
