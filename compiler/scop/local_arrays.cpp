#include "scop/local_arrays.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scop/evaluate.h"
#include "scop/scalar_uses.h"

namespace stencilgen::scop {
namespace {

/// The numbers that name an element; empty where one is none, or outside of the array.
std::optional<std::vector<std::int64_t>> PlaceOf(const Region& region, const Element& element,
                                                 const std::vector<std::int64_t>& extents) {
  if (element.subscripts.size() != extents.size()) return std::nullopt;
  std::vector<std::int64_t> place;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto at = Evaluate(region, element.subscripts[d], {});
    if (!at || *at < 0 || *at >= extents[d]) return std::nullopt;
    place.push_back(*at);
  }
  return place;
}

class Splitter {
 public:
  explicit Splitter(Region& region) : region_(region) {}

  void Run() {
    const auto count = static_cast<std::uint32_t>(region_.variables.size());
    for (std::uint32_t k = 0; k < count; ++k) {
      const VariableId array{k};
      const std::vector<std::int64_t> extents = LocalExtents(region_, array);
      if (!extents.empty()) Split(array, extents);
    }
  }

 private:
  void Split(VariableId array, const std::vector<std::int64_t>& extents) {
    std::vector<std::pair<ExprId, std::vector<std::int64_t>>> uses;
    for (const ExprId id : region_.exprs.Ids()) {
      const auto* element = std::get_if<Element>(&region_.exprs[id].node);
      if (element == nullptr || element->variable != array) continue;
      if (!IsUsed(id)) continue;  // before loops were written out
      auto place = PlaceOf(region_, *element, extents);
      if (!place) return;
      uses.emplace_back(id, *std::move(place));
    }
    const auto exprs = region_.exprs;
    std::set<VariableId> scalars;
    std::map<std::vector<std::int64_t>, VariableId> scalar_of;
    for (const auto& [id, place] : uses) {
      const auto found = scalar_of.find(place);
      const VariableId scalar =
          found == scalar_of.end() ? AddScalar(region_.variables[array], place) : found->second;
      scalar_of.emplace(place, scalar);
      region_.exprs[id].node = Use{scalar};
    }
    if (!region_.variables[array].is_private) return;
    for (const auto& [place, scalar] : scalar_of) {
      if (SetsBeforeReading(region_, region_.body, scalar)) continue;
      region_.exprs = exprs;
      return;
    }
  }

  /// True of what statements of the region still have.
  bool IsUsed(ExprId id) {
    if (!used_) {
      used_.emplace();
      ForEachExpr(region_, region_.body, [&](ExprId each) { used_->insert(each); });
    }
    return used_->count(id) > 0;
  }

  VariableId AddScalar(const Variable& array, const std::vector<std::int64_t>& place) {
    Variable scalar;
    std::string name = array.name;
    scalar.text = array.text;
    for (const std::int64_t at : place) {
      name += '_' + std::to_string(at);
      scalar.text += '[' + std::to_string(at) + ']';
    }
    scalar.name = FreeName(region_, name);
    scalar.type = array.type;
    scalar.is_local = true;
    scalar.used = array.used;
    return region_.variables.Add(std::move(scalar));
  }

  Region& region_;
  std::optional<std::set<ExprId>> used_;
};

}  // namespace

std::vector<std::int64_t> LocalExtents(const Region& region, VariableId array) {
  constexpr std::int64_t kMost = 64;
  const Variable& variable = region.variables[array];
  const bool local = variable.is_scratch || variable.is_private;
  if (!local || variable.format != ElementFormat::Plain) return {};
  std::vector<std::int64_t> extents;
  std::int64_t size = 1;
  for (const std::optional<ExprId>& each : variable.extents) {
    const auto extent = each ? Evaluate(region, *each, {}) : std::nullopt;
    if (!extent || *extent < 1 || *extent > kMost / size) return {};
    size *= *extent;
    extents.push_back(*extent);
  }
  return extents;
}

void SplitLocalArrays(Region& region) {
  Splitter(region).Run();
}

}  // namespace stencilgen::scop
