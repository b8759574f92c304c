#include "sema/build_graph.h"

#include <set>

#include "graph/loop_builder.h"
#include "sema/affine.h"
#include "sema/check_values.h"
#include "sema/context.h"
#include "sema/declarations.h"
#include "sema/every.h"
#include "sema/expand_complex.h"
#include "sema/instantiate.h"
#include "sema/messages.h"
#include "sema/stencil_info.h"
#include "sema/turns.h"
#include "sema/until.h"
#include "support/match.h"

namespace stencilgen {
namespace sema {
namespace {

using graph::ArrayId;

constexpr DiagnosticKind<> kNoCalls{"no-calls", Severity::Error, "the program calls no stencil"};
constexpr DiagnosticKind<std::string_view> kUnusedStencil{"unused-stencil", Severity::Warning,
                                                          "stencil '{}' is never called"};
constexpr DiagnosticKind<std::string_view> kUnusedArray{"unused-array", Severity::Warning,
                                                        "'{}' is never used"};
constexpr DiagnosticKind<std::string_view> kNeverWritten{"copyout-never-written", Severity::Warning,
                                                         "'{}' is copied out but never written"};
constexpr DiagnosticKind<> kNoCopyout{"no-copyout", Severity::Warning,
                                      "nothing is copied out, the program has no effect"};
constexpr DiagnosticKind<> kNegativeCount{"negative-count", Severity::Error,
                                          "an iteration count cannot be negative"};
constexpr DiagnosticKind<std::string_view> kSwapName{"bad-swap", Severity::Error,
                                                     "'{}' cannot be swapped"};

class GraphBuilder {
 public:
  explicit GraphBuilder(Context& context) : context_(context) {}

  bool Run() {
    DeclareProgram(context_);
    for (const ast::Stencil& stencil : context_.ast.stencils) {
      const auto [place, fresh] = by_name_.try_emplace(stencil.name.text, stencils_.size());
      if (!fresh) {
        context_.sink.Report(stencil.name.span, kRedeclared, stencil.name.text)
            .Note(stencils_[place->second].ast->name.span, "declared here first");
      }
      stencils_.push_back(CheckStencil(context_, stencil));
    }
    CheckCallsInStencils(context_);
    std::vector<graph::NodeId> nodes;
    if (!context_.graph.iterators.empty()) Build(context_.ast.calls, nodes);
    const bool looked = !context_.graph.iterators.empty() || context_.ast.calls.empty();
    if (call_count_ == 0 && looked) {
      context_.sink.Report({}, kNoCalls).Hint("call a stencil: `name (array, ...);`");
    }
    context_.graph.root = context_.graph.regions.Add({std::move(nodes)});
    if (context_.sink.HasErrors()) return false;  // what an error stopped may look unused
    WarnUnused();
    for (const ArrayId id : context_.graph.arrays.Ids()) {
      if (context_.graph.arrays[id].copy_out) {
        context_.graph.outputs.push_back({id, context_.current[id.index]});
      }
    }
    CheckValues(context_);
    for (const graph::PeriodicParts& parts : context_.periodic) {
      graph::SplitTurns(context_.graph, parts, &context_.next_group);
    }
    return !context_.sink.HasErrors();
  }

 private:
  void Build(const std::vector<ast::CallItem>& items, std::vector<graph::NodeId>& nodes) {
    for (const ast::CallItem& item : items) {
      Match(
          item, [&](const ast::StencilCall& call) { Build(call, nodes); },
          [&](const ast::Swap& swap) { Build(swap); },
          [&](const ast::Every& every) { BuildEvery(every, nodes); },
          [&](const ast::Iterate& iterate) { Build(iterate, nodes); });
    }
  }

  void Build(const ast::StencilCall& call, std::vector<graph::NodeId>& nodes) {
    const int index = call_count_++;
    const auto found = by_name_.find(call.stencil.text);
    if (found == by_name_.end()) {
      std::vector<std::string> names;
      for (const StencilInfo& info : stencils_) names.push_back(info.ast->name.text);
      auto report = context_.sink.Report(call.stencil.span, kUndefinedStencil, call.stencil.text);
      if (call.stencil.text == "swap") {
        report.Hint("two arrays are swapped without parentheses: `swap a, b;`");
      } else {
        report.HintNearest(call.stencil.text, names);
      }
      return;
    }
    InstantiateCall(context_, stencils_[found->second], call, index, nodes);
  }

  std::optional<ArrayId> SwapArray(const ast::Name& name) {
    const auto found = context_.symbols.find(name.text);
    if (found != context_.symbols.end() && found->second.kind == SymbolKind::Array) {
      const ArrayId id{found->second.index};
      const graph::Array& array = context_.graph.arrays[id];
      if (context_.WrittenRank(id) > 0 && !array.constant) {
        context_.arrays[id.index].used = true;
        context_.arrays[id.index].written = true;
        return id;
      }
    }
    context_.sink.Report(name.span, kSwapName, name.text)
        .Hint("`swap` exchanges two arrays that are not read-only");
    return std::nullopt;
  }

  void Build(const ast::Swap& swap) {
    const auto a = SwapArray(swap.first);
    const auto b = SwapArray(swap.second);
    if (!a || !b) return;
    const graph::Array& first = context_.graph.arrays[*a];
    const graph::Array& second = context_.graph.arrays[*b];
    if (!SameElements(first, second) || first.extents != second.extents) {
      context_.sink.Report(swap.span, kSwapShape, swap.first.text, swap.second.text);
      return;
    }
    std::swap(context_.current[a->index], context_.current[b->index]);
  }

  void Build(const ast::Iterate& iterate, std::vector<graph::NodeId>& nodes) {
    const auto count =
        ToLinear(context_, ProgramResolver(context_), iterate.count, "an iteration count");
    if (count && AlwaysNegative(*count)) {
      context_.sink.Report(context_.ast.exprs[iterate.count].span, kNegativeCount);
    }
    std::set<ArrayId> changed;
    FindChanged(iterate.body, changed);
    const graph::ParameterId turn = TurnOf(context_, iterate);
    graph::LoopBuilder loop(context_.graph, count.value_or(graph::LinearForm{}), iterate.span,
                            turn);
    for (const ArrayId id : changed) {
      context_.current[id.index] = loop.Carry(id, context_.current[id.index]);
    }
    std::vector<graph::NodeId> body;
    if (turn.Valid()) context_.turns.emplace(turn, count.value_or(graph::LinearForm{}));
    every_.Enter(iterate, turn, count.value_or(graph::LinearForm{}));
    Build(iterate.body, body);
    graph::PeriodicParts parts = every_.Leave();
    if (iterate.until) {
      const auto stop = AddStop(context_, iterate, call_count_, changed, body);
      if (stop) loop.StopAt(*stop);
    }
    context_.turns.erase(turn);
    nodes.push_back(loop.Close(std::move(body), context_.current));
    parts.loop = nodes.back();
    if (!parts.parts.empty()) context_.periodic.push_back(std::move(parts));
  }

  void BuildEvery(const ast::Every& every, std::vector<graph::NodeId>& nodes) {
    if (!every_.Begin(every)) {
      ++call_count_;  // what it calls is not missing
      return;
    }
    std::set<ArrayId> changed;
    FindChanged(every.body, changed);
    graph::LoopBuilder part(context_.graph, graph::LinearForm::Constant(1), every.span,
                            context_.every.back().execution);
    for (const ArrayId id : changed) {
      context_.current[id.index] = part.Carry(id, context_.current[id.index]);
    }
    std::vector<graph::NodeId> body;
    Build(every.body, body);
    nodes.push_back(part.Close(std::move(body), context_.current));
    every_.End(nodes.back());
  }

  /// The arrays and scalars whose version the items may change.
  void FindChanged(const std::vector<ast::CallItem>& items, std::set<ArrayId>& changed) {
    const auto add = [&](const std::string& name) {
      const auto found = context_.symbols.find(name);
      if (found != context_.symbols.end() && found->second.kind == SymbolKind::Array) {
        changed.insert(ArrayId{found->second.index});
      }
    };
    for (const ast::CallItem& item : items) {
      Match(
          item,
          [&](const ast::StencilCall& call) {
            const auto found = by_name_.find(call.stencil.text);
            if (found == by_name_.end()) return;
            const StencilInfo& info = stencils_[found->second];
            for (const std::string& name : info.globals_written) add(name);
            for (std::size_t i = 0; i < call.actuals.size() && i < info.formal_written.size();
                 ++i) {
              const auto* name =
                  std::get_if<ast::NameRef>(&context_.ast.exprs[call.actuals[i]].node);
              if (info.formal_written[i] && name != nullptr) add(name->name);
            }
          },
          [&](const ast::Swap& swap) {
            add(swap.first.text);
            add(swap.second.text);
          },
          [&](const ast::Every& every) { FindChanged(every.body, changed); },
          [&](const ast::Iterate& iterate) { FindChanged(iterate.body, changed); });
    }
  }

  void WarnUnused() {
    for (const StencilInfo& info : stencils_) {
      if (!info.called)
        context_.sink.Report(info.ast->name.span, kUnusedStencil, info.ast->name.text);
    }
    bool any_output = false;
    for (const ArrayId id : context_.graph.arrays.Ids()) {
      const graph::Array& array = context_.graph.arrays[id];
      if (array.local) continue;
      const ArrayFacts& facts = context_.arrays[id.index];
      any_output = any_output || array.copy_out;
      if (array.copy_out && !facts.written) {
        context_.sink.Report(facts.copy_out_span, kNeverWritten, array.name);
      } else if (!facts.used) {
        context_.sink.Report(array.span, kUnusedArray, array.name);
      }
    }
    if (!any_output) {
      context_.sink.Report({}, kNoCopyout).Hint("add `copyout name;`");
    }
  }

  Context& context_;
  std::vector<StencilInfo> stencils_;
  std::unordered_map<std::string, std::size_t> by_name_;
  int call_count_ = 0;
  EveryParts every_{context_};
};

std::optional<graph::Graph> BuildRealGraph(const ast::Program& program,
                                           const graph::GraphOptions& options,
                                           DiagnosticSink& sink) {
  Context context{program, options, sink, {}, {}, {}, {}, {}, 0};
  context.graph.name = options.program_name;
  if (!GraphBuilder(context).Run()) return std::nullopt;
  return std::move(context.graph);
}

}  // namespace
}  // namespace sema

std::optional<graph::Graph> BuildGraph(const ast::Program& program,
                                       const graph::GraphOptions& options, DiagnosticSink& sink) {
  if (!sema::HasComplex(program)) return sema::BuildRealGraph(program, options, sink);
  const std::size_t errors = sink.ErrorCount();
  const sema::RealProgram real = sema::ExpandComplex(program, sink);
  if (sink.ErrorCount() > errors) return std::nullopt;
  DiagnosticSink found;
  std::optional<graph::Graph> graph = sema::BuildRealGraph(real.program, options, found);
  sema::ReportWholes(real, found, sink);
  return graph;
}

}  // namespace stencilgen
