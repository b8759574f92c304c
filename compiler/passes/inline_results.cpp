#include "passes/inline_results.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "passes/copy_body.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

class Inliner {
 public:
  Inliner(Graph& graph, const Stretch& stretch, const CrossingRule& rule,
          const std::set<std::string>& kept)
      : graph_(graph), stretch_(stretch), rule_(rule), kept_(kept) {}

  std::vector<CrossingValue> Run() {
    for (std::size_t part = 0; part < stretch_.parts.size(); ++part) {
      for (const NodeId node : stretch_.parts[part]) {
        order_.push_back(node);
        part_of_[node] = part;
      }
    }
    FindOtherUses();
    // Readers first: what they then read instead may be computed there as well.
    for (std::size_t k = order_.size(); k-- > 0;) Visit(order_[k]);
    std::reverse(crossings_.begin(), crossings_.end());
    return std::move(crossings_);
  }

 private:
  static constexpr std::size_t kMostExprs = 20'000;  ///< of an operator

  const Operator& At(NodeId node) const { return std::get<Operator>(graph_.nodes[node]); }

  /// Versions that something else than a read of this stretch needs.
  void FindOtherUses() {
    const auto read_all = [&](const Operator& op) {
      for (const ExprId expr : Accesses(graph_, op)) {
        other_.insert(std::get<Access>(graph_.exprs[expr].node).version);
      }
    };
    for (const Output& output : graph_.outputs) other_.insert(output.version);
    for (const NodeId id : graph_.nodes.Ids()) {
      if (const auto* loop = std::get_if<Loop>(&graph_.nodes[id])) {
        for (const Carried& carried : loop->carried) {
          other_.insert(carried.initial);
          other_.insert(carried.next);
        }
        continue;
      }
      const Operator& op = At(id);
      if (op.background.Valid()) other_.insert(op.background);
      if (part_of_.count(id) == 0) read_all(op);
    }
  }

  void Visit(NodeId node) {
    const auto op = At(node);
    const Array& array = graph_.arrays[graph_.versions[op.result].array];
    if (op.reduction) return;  // its value is not that of one point
    if (other_.count(op.result) > 0 || kept_.count(array.name) > 0) return;
    std::vector<NodeId> readers;  // of other parts
    std::set<std::size_t> parts;
    bool here = false;
    for (const NodeId reader : order_) {
      const int reads = Reads(reader, op);
      if (reads == 0) continue;
      if (part_of_.at(reader) == part_of_.at(node)) {
        here = true;
        continue;
      }
      if (reads < 0 || !Covers(op, At(reader))) return;
      readers.push_back(reader);
      parts.insert(part_of_.at(reader));
    }
    if (readers.empty()) return;
    CrossingValue crossing{BaseName(array), false, static_cast<int>(parts.size()) + (here ? 1 : 0),
                           FlopsOf(graph_, op, op.value)};
    const double element = ElementBytes(array);
    const double more =
        static_cast<double>(crossing.flops) * static_cast<double>(readers.size() - (here ? 0 : 1));
    double moved = element * static_cast<double>(1 + parts.size());
    for (const std::size_t part : parts) moved -= element * CountNewReads(op, part);
    crossing.stored = rule_.Stores(more, moved) || ExprsOf(op) > kMostExprs;
    if (!crossing.stored) {
      for (const NodeId reader : readers) Inline(op, reader);
    }
    crossings_.push_back(std::move(crossing));
  }

  std::size_t ExprsOf(const Operator& op) const {
    std::size_t count = 0;
    const auto add = [&](ExprId) { ++count; };
    for (const Let& let : op.lets) Walk(graph_, let.value, add);
    Walk(graph_, op.value, add);
    return count;
  }

  /// How often `reader` reads the operator's result, -1 where it does so at other points.
  int Reads(NodeId reader, const Operator& op) const {
    int reads = 0;
    for (const ExprId expr : Accesses(graph_, At(reader))) {
      const auto& access = std::get<Access>(graph_.exprs[expr].node);
      if (access.version != op.result) continue;
      if (access.indices != op.target || At(reader).iterators != op.iterators) return -1;
      ++reads;
    }
    return reads;
  }

  /// Arrays that the operator reads and no other operator of the part does.
  double CountNewReads(const Operator& op, std::size_t part) const {
    std::set<VersionId> reads;
    for (const ExprId expr : Accesses(graph_, op)) {
      const VersionId version = std::get<Access>(graph_.exprs[expr].node).version;
      if (graph_.arrays[graph_.versions[version].array].rank() == op.iterators.size()) {
        reads.insert(version);
      }
    }
    for (const NodeId node : stretch_.parts[part]) {
      for (const ExprId expr : Accesses(graph_, At(node))) {
        reads.erase(std::get<Access>(graph_.exprs[expr].node).version);
      }
      reads.erase(At(node).result);
    }
    return static_cast<double>(reads.size());
  }

  /// The lets of `op` and its value before those of the reader, whose reads become the value's.
  void Inline(const Operator& op, NodeId reader) {
    const auto old = At(reader);
    Body body = CopyBody(graph_, op, op.value);
    std::set<std::string> names;
    for (const Let& let : old.lets) names.insert(let.name);
    const auto unique = [&](const std::string& name) {
      std::string fresh = name;
      for (int k = 2; !names.insert(fresh).second; ++k) fresh = fmt::format("{}_{}", name, k);
      return fresh;
    };
    const Array& array = graph_.arrays[graph_.versions[op.result].array];
    std::vector<Let> lets = std::move(body.lets);
    for (Let& let : lets) let.name = unique(let.name);
    lets.push_back({unique(BaseName(array)), array.type, body.value, op.span});
    const auto value = static_cast<int>(lets.size()) - 1;
    const auto edit = [&](Expr& expr) {
      if (auto* ref = std::get_if<LetRef>(&expr.node)) ref->let += value + 1;
      const auto* access = std::get_if<Access>(&expr.node);
      if (access != nullptr && access->version == op.result) expr.node = LetRef{value};
    };
    for (Let let : old.lets) {
      let.value = CopyExpr(graph_, let.value, edit);
      lets.push_back(std::move(let));
    }
    const ExprId result = CopyExpr(graph_, old.value, edit);
    auto& changed = std::get<Operator>(graph_.nodes[reader]);
    changed.lets = std::move(lets);
    changed.value = result;
  }

  Graph& graph_;
  const Stretch& stretch_;
  const CrossingRule& rule_;
  const std::set<std::string>& kept_;
  std::vector<NodeId> order_;
  std::map<NodeId, std::size_t> part_of_;
  std::set<VersionId> other_;
  std::vector<CrossingValue> crossings_;
};

}  // namespace

std::vector<CrossingValue> InlineResults(Graph& graph, const Stretch& stretch,
                                         const CrossingRule& rule,
                                         const std::set<std::string>& kept) {
  return Inliner(graph, stretch, rule, kept).Run();
}

}  // namespace stencilgen::passes
