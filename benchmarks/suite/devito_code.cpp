#include "suite/devito_code.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "suite/devito_expr.h"
#include "support/match.h"

namespace stencilgen::suite {
namespace {

using graph::ArrayId;
using graph::Graph;
using graph::Operator;
using graph::VersionId;

/// A Function, or one of the two levels of a TimeFunction: 0 is now, 1 what a step makes.
using Home = std::pair<ArrayId, int>;

class Translator {
 public:
  explicit Translator(const Graph& graph) : graph_(graph) {}

  std::optional<Json> Run(std::string& problem) {
    FindLoop();
    FindGrid();
    PlaceVersions();
    if (problem_.empty()) {
      for (const graph::NodeId node : graph_.regions[region_].nodes) {
        const auto* op = std::get_if<Operator>(&graph_.nodes[node]);
        if (op == nullptr) Fail("a loop in a loop");
        if (!problem_.empty()) break;
        Translate(*op);
      }
    }
    Json program;
    if (problem_.empty()) program = Describe();
    problem = problem_;
    return problem_.empty() ? std::optional(program) : std::nullopt;
  }

 private:
  void Fail(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }
  const graph::Array& TypeOf(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }
  static std::string NameOf(const graph::Array& array) { return "a_" + array.name; }

  /// A program is a loop over steps, or statements without any.
  void FindLoop() {
    region_ = graph_.root;
    const auto& nodes = graph_.regions[graph_.root].nodes;
    for (const graph::NodeId node : nodes) {
      const auto* loop = std::get_if<graph::Loop>(&graph_.nodes[node]);
      if (loop == nullptr) continue;
      if (nodes.size() > 1) return Fail("statements around a loop");
      loop_ = loop;
      region_ = loop->body;
    }
  }

  /// The extents of what is computed.
  void FindGrid() {
    std::set<ScalarType> types;
    for (const graph::Array& array : graph_.arrays) types.insert(array.type);
    for (const graph::Node& node : graph_.nodes) {
      const auto* op = std::get_if<Operator>(&node);
      if (op == nullptr || TypeOf(op->result).rank() == 0) continue;
      if (grid_.empty()) grid_ = TypeOf(op->result).extents;
      if (grid_ != TypeOf(op->result).extents) return Fail("arrays of different extents");
    }
    if (grid_.size() != graph_.iterators.size()) return Fail("fewer dimensions than iterators");
    if (types.size() != 1 || !IsFloating(*types.begin())) return Fail("several types");
    type_ = *types.begin();
  }

  /// Which Function each version is in. An array that a step makes anew is a TimeFunction; where it
  /// becomes another one's older level, the two are one.
  void PlaceVersions() {
    if (loop_ != nullptr) {
      std::map<VersionId, const graph::Carried*> by_entry;
      for (const graph::Carried& carried : loop_->carried) by_entry[carried.entry] = &carried;
      for (const graph::Carried& carried : loop_->carried) {
        if (graph_.versions[carried.next].def != graph::DefKind::Operator) continue;
        // What is computed in this step, back to what the step began with.
        for (VersionId at = carried.next; graph_.versions[at].def == graph::DefKind::Operator;) {
          const auto& op = std::get<Operator>(graph_.nodes[graph_.versions[at].node]);
          homes_[at] = {carried.array, 1};
          at = op.background;
          if (!at.Valid()) break;
        }
        homes_[carried.entry] = {carried.array, 0};
        levels_[carried.array] = 2;
        ends_.push_back({carried.result, carried.array, 0});
        contents_[{carried.array, 0}] = contents_[{carried.array, 1}] = carried.entry;
        starts_[carried.array] = {carried.array, carried.array};
      }
      for (const graph::Carried& older : loop_->carried) {
        if (homes_.count(older.entry) > 0) continue;
        const auto younger = by_entry.find(older.next);
        if (older.next == older.entry) continue;
        if (younger == by_entry.end() || homes_.count(younger->first) == 0) {
          return Fail("arrays that change places in a circle");
        }
        const ArrayId chain = homes_.at(younger->first).first;
        if (contents_.at({chain, 1}) != younger->first) return Fail("more than two time levels");
        homes_[older.entry] = {chain, 1};
        contents_[{chain, 1}] = older.entry;
        starts_[chain].second = older.array;
        ends_.push_back({older.result, chain, 1});
      }
    }
    for (const VersionId id : graph_.versions.Ids()) {
      if (homes_.count(id) > 0 || TypeOf(id).rank() == 0) continue;
      const ArrayId array = graph_.versions[id].array;
      if (levels_.count(array) > 0 && graph_.versions[id].def == graph::DefKind::Operator) {
        return Fail("an array that is computed and not kept");
      }
      if (levels_.count(array) > 0 || graph_.versions[id].def == graph::DefKind::LoopResult)
        continue;
      homes_[id] = {array, 0};
      if (graph_.versions[id].def != graph::DefKind::Operator) contents_[{array, 0}] = id;
    }
  }

  std::string Index(const graph::Index& index, int domain) {
    std::string text = fmt::format("{}", index.offset.constant);
    if (!index.offset.IsConstant()) return "";
    if (index.iterator < 0) return text;
    if (index.coefficient != 1) return "";
    const std::string& iterator = graph_.iterators[static_cast<std::size_t>(index.iterator)];
    const std::int64_t offset = index.offset.constant;
    reach_ = std::max(reach_, std::abs(offset));
    text = fmt::format("{}{}", iterator, domain);
    if (offset != 0) text += fmt::format(" {} {}", offset < 0 ? "-" : "+", std::abs(offset));
    return text;
  }

  /// Empty where it cannot be written.
  std::string Element(ArrayId id, int level, const std::vector<graph::Index>& indices, int domain) {
    const graph::Array& array = graph_.arrays[id];
    std::vector<std::string> texts;
    if (levels_.count(id) > 0) texts.emplace_back(level == 0 ? "t" : "t + 1");
    std::vector<int>& dimensions = dimensions_[id];
    dimensions.resize(array.rank(), kUnused);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const int along = indices[d].iterator;
      if (dimensions[d] == kUnused) dimensions[d] = along;
      if (dimensions[d] != along) return "";
      if (along >= 0 && array.extents[d] != grid_[static_cast<std::size_t>(along)]) return "";
      texts.push_back(Index(indices[d], domain));
      if (texts.back().empty()) return "";
    }
    return fmt::format("{}[{}]", NameOf(array), fmt::join(texts, ", "));
  }

  /// What is read must still be there.
  std::string Read(const graph::Access& access, const Operator& op, int domain) {
    const graph::Array& array = TypeOf(access.version);
    if (array.rank() == 0) {
      return graph_.versions[access.version].def == graph::DefKind::Initial
                 ? NameOf(array)
                 : fmt::format("s{}", access.version.index);
    }
    if (std::any_of(access.boundary.begin(), access.boundary.end(),
                    [](const auto& mode) { return mode.kind != graph::BoundaryKind::None; })) {
      return "";
    }
    const auto home = homes_.find(access.version);
    if (home == homes_.end() || contents_[home->second] != access.version) return "";
    const auto result = homes_.find(op.result);
    if (result != homes_.end() && result->second == home->second && access.indices != op.target) {
      return "";
    }
    return Element(home->second.first, home->second.second, access.indices, domain);
  }

  /// The number of the part of the grid that is the operator's domain.
  int DomainOf(const Operator& op) {
    Json parts = Json::array();
    if (!op.domain.guards.empty()) Fail("a domain that depends on parameters");
    if (op.iterators.size() != grid_.size()) Fail("fewer dimensions than the grid has");
    for (std::size_t n = 0; n < op.iterators.size() && problem_.empty(); ++n) {
      const graph::Interval& interval = op.domain.intervals[n];
      const bool simple = interval.lower.size() == 1 && interval.upper.size() == 1 &&
                          interval.lower[0].divisor == 1 && interval.upper[0].divisor == 1;
      if (!simple) {
        Fail("a domain that depends on parameters");
        break;
      }
      const graph::LinearForm right = grid_[n] - 1 - interval.upper[0].numerator;
      const graph::LinearForm& left = interval.lower[0].numerator;
      if (!left.IsConstant() || !right.IsConstant() || left.constant < 0 || right.constant < 0) {
        Fail("a domain that is no inner part of the grid");
      }
      parts.push_back({left.constant, right.constant});
    }
    const auto known = std::find(domains_.begin(), domains_.end(), parts);
    if (known != domains_.end()) return static_cast<int>(known - domains_.begin());
    domains_.push_back(parts);
    return static_cast<int>(domains_.size()) - 1;
  }

  void Translate(const Operator& op) {
    const bool scalar = TypeOf(op.result).rank() == 0;
    const int domain = scalar ? 0 : DomainOf(op);
    const std::string prefix = fmt::format("l{}_", ++operators_);
    const DevitoNames names = {
        [&](const graph::Access& access) { return Read(access, op, domain); },
        [&](int let) { return prefix + op.lets[static_cast<std::size_t>(let)].name; }};
    const std::vector<bool> used = graph::UsedLets(graph_, op);
    for (std::size_t n = 0; n < op.lets.size(); ++n) {
      if (!used[n]) continue;
      if (op.lets[n].type != type_) Fail("integers");
      lines_.push_back({{"name", names.let(static_cast<int>(n))},
                        {"value", DevitoExpr(graph_, op.lets[n].value, names, problem_)}});
    }
    const std::string value = DevitoExpr(graph_, op.value, names, problem_);
    if (scalar) {
      lines_.push_back({{"name", fmt::format("s{}", op.result.index)}, {"value", value}});
      return;
    }
    if (!std::all_of(op.target.begin(), op.target.end(), graph::IsPlain)) Fail("strides");
    const Home home = homes_.at(op.result);
    if (op.background.Valid()) {
      // Borders are what the memory had before; later writers must leave no other ones.
      const bool same = contents_[home] == op.background;
      const auto before = written_.find(home);
      if (!same || (before != written_.end() && before->second != domain)) {
        Fail("borders from elsewhere");
      }
    }
    written_[home] = domain;
    contents_[home] = op.result;
    const std::string target = Element(home.first, home.second, op.target, domain);
    if (target.empty()) Fail("a target that the grid does not have");
    lines_.push_back({{"target", target}, {"value", value}});
  }

  Json Describe() {
    Json program;
    program["type"] = type_ == ScalarType::Float ? "float32" : "float64";
    program["iterators"] = graph_.iterators;
    program["domains"] = domains_;
    program["reach"] = reach_;
    program["lines"] = lines_;
    const std::vector<std::string> parameters = graph::ParameterNames(graph_);
    program["turns"] = loop_ == nullptr ? Json() : Json(Form(loop_->turns.count));
    for (const graph::LinearForm& extent : grid_) program["grid"].push_back(Form(extent));
    program["functions"] = Json::array();
    program["scalars"] = Json::array();
    for (const ArrayId id : graph_.arrays.Ids()) {
      const graph::Array& array = graph_.arrays[id];
      if (array.rank() == 0) {
        if (!array.local) program["scalars"].push_back(NameOf(array));
        continue;
      }
      Json function = {{"name", NameOf(array)}, {"levels", levels_.count(id) > 0 ? 2 : 1}};
      const auto used = dimensions_.find(id);
      if (used == dimensions_.end()) continue;
      function["dimensions"] = used->second;
      for (const graph::LinearForm& extent : array.extents) {
        function["shape"].push_back(Form(extent));
      }
      const auto start = starts_.find(id);
      const std::pair<ArrayId, ArrayId> from =
          start == starts_.end() ? std::pair(id, id) : start->second;
      if (!array.local) {
        function["from"] = {graph_.arrays[from.first].name, graph_.arrays[from.second].name};
      }
      program["functions"].push_back(function);
    }
    program["outputs"] = Json::array();
    for (const graph::Output& output : graph_.outputs) {
      ArrayId array;
      int level = 0;
      if (loop_ == nullptr) {
        const auto home = homes_.find(output.version);
        if (home == homes_.end() || contents_[home->second] != output.version) {
          Fail("a result that is not kept");
        } else {
          array = home->second.first;
        }
      } else {
        const auto end = std::find_if(ends_.begin(), ends_.end(),
                                      [&](const End& one) { return one.result == output.version; });
        if (end == ends_.end()) {
          Fail("a result that the loop does not make");
        } else {
          array = end->chain;
          level = end->level;
        }
      }
      if (!problem_.empty()) break;
      program["outputs"].push_back({{"array", graph_.arrays[output.array].name},
                                    {"function", NameOf(graph_.arrays[array])},
                                    {"level", level}});
    }
    return program;
  }

  /// In Python, over the parameters.
  std::string Form(const graph::LinearForm& form) const {
    return graph::ToString(form, graph::ParameterNames(graph_));
  }

  static constexpr int kUnused = -2;
  struct End {
    VersionId result;
    ArrayId chain;
    int level;  ///< 0: the newest
  };

  const Graph& graph_;
  std::string problem_;
  graph::RegionId region_;
  const graph::Loop* loop_ = nullptr;
  std::vector<graph::LinearForm> grid_;
  ScalarType type_ = ScalarType::Double;
  std::map<VersionId, Home> homes_;
  std::map<Home, VersionId> contents_;  ///< what each memory holds, as statements go on
  std::map<Home, int> written_;         ///< the domain of what was written last
  std::map<ArrayId, int> levels_;       ///< of TimeFunctions
  std::map<ArrayId, std::pair<ArrayId, ArrayId>> starts_;  ///< what both levels begin with
  std::vector<End> ends_;
  std::map<ArrayId, std::vector<int>> dimensions_;  ///< iterator of each, -1: none
  std::vector<Json> domains_;
  Json lines_ = Json::array();
  std::int64_t reach_ = 0;
  int operators_ = 0;
};

}  // namespace

std::optional<Json> DevitoProgram(const Graph& graph, std::string& problem) {
  return Translator(graph).Run(problem);
}

}  // namespace stencilgen::suite
