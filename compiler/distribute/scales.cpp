#include "distribute/scales.h"

#include <algorithm>
#include <numeric>

namespace stencilgen::distribute {

using namespace graph;

std::optional<Scales::Ratio> Scales::Times(Ratio a, Ratio b) {
  // Elements of one point; a grid of fewer points would have none to share.
  constexpr std::int64_t kMost = 1 << 16;
  const std::int64_t cross = std::gcd(a.numerator, b.denominator);
  const std::int64_t other = std::gcd(b.numerator, a.denominator);
  const Ratio product{a.numerator / cross * (b.numerator / other),
                      a.denominator / other * (b.denominator / cross)};
  if (product.numerator > kMost || product.denominator > kMost) return std::nullopt;
  return product;
}

Scales::Member Scales::Find(Key key) const {
  const auto found = members_.find(key);
  return found == members_.end() ? Member{key, {}} : found->second;
}

bool Scales::Relate(Key a, Key b, std::int64_t factor) {
  const Member first = Find(a);
  const Member second = Find(b);
  // The unit of b's group in that of a's.
  if (factor > INT32_MAX) return false;
  const auto inverse = Times({1, factor}, {second.ratio.denominator, second.ratio.numerator});
  const auto unit = inverse ? Times(first.ratio, *inverse) : std::nullopt;
  if (!unit) return false;
  if (first.group == second.group) return unit->numerator == 1 && unit->denominator == 1;
  members_[a] = first;
  members_[b] = second;
  std::map<Key, Member> joined = members_;
  for (auto& [key, member] : joined) {
    if (member.group != second.group) continue;
    const auto ratio = Times(member.ratio, *unit);
    if (!ratio) return false;
    member = {first.group, *ratio};
  }
  members_ = std::move(joined);
  return true;
}

std::int64_t Scales::Of(Key key) const {
  const Member own = Find(key);
  std::int64_t denominators = own.ratio.denominator;
  for (const auto& [other, member] : members_) {
    if (member.group == own.group) denominators = std::lcm(denominators, member.ratio.denominator);
  }
  const auto whole = [&](Ratio ratio) {
    return ratio.numerator * (denominators / ratio.denominator);
  };
  std::int64_t common = whole(own.ratio);
  for (const auto& [other, member] : members_) {
    if (member.group == own.group) common = std::gcd(common, whole(member.ratio));
  }
  return whole(own.ratio) / common;
}

namespace {

Scales::Key KeyOf(const DimensionClass& along, std::size_t dimension) {
  return {along.of_class, static_cast<std::int64_t>(dimension)};
}
Scales::Key KeyOf(const Operator& op) {
  return {-1, static_cast<std::int64_t>(op.result.index)};
}

}  // namespace

ArrayScales::ArrayScales(const Graph& graph, const std::vector<const Operator*>& sharing,
                         const ClassOf& class_of) {
  for (const ArrayId id : graph.arrays.Ids()) {
    classes_.emplace_back();
    for (std::size_t d = 0; d < graph.arrays[id].rank(); ++d) {
      classes_.back().push_back(class_of(id, d));
    }
  }
  for (const Operator* op : sharing) {
    if (op->reduction) continue;
    const ArrayId array = graph.versions[op->result].array;
    results_[op->result] = array;
    Relate(*op, array, op->target);
  }
  for (const bool written : {true, false}) {
    for (const Operator* op : sharing) {
      for (const ExprId id : Accesses(graph, *op)) {
        const auto& access = std::get<Access>(graph.exprs[id].node);
        const ArrayId array = graph.versions[access.version].array;
        const std::vector<DimensionClass>& classes = classes_[array.index];
        if (classes.empty() || classes[0].written != written) continue;
        Relate(*op, array, access.indices);
      }
    }
  }
}

void ArrayScales::Relate(const Operator& op, ArrayId array, const std::vector<Index>& indices) {
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const DimensionClass& along = classes_[array.index][d];
    const Index& index = indices[d];
    if (index.iterator < 0 || along.iterator != index.iterator || index.coefficient < 1) continue;
    scales_[index.iterator].Relate(KeyOf(along, d), KeyOf(op), index.coefficient);
  }
}

std::int64_t ArrayScales::Of(int iterator, Scales::Key key) const {
  const auto found = scales_.find(iterator);
  return found == scales_.end() ? 1 : found->second.Of(key);
}
std::int64_t ArrayScales::Of(ArrayId array, std::size_t dimension) const {
  const DimensionClass& along = classes_[array.index][dimension];
  return Of(along.iterator, KeyOf(along, dimension));
}
std::int64_t ArrayScales::Of(const Operator& op, int iterator) const {
  return Of(iterator, KeyOf(op));
}

bool ArrayScales::Fits(const Operator& op, ArrayId array, std::size_t dimension,
                       const Index& index) const {
  return index.coefficient >= 1 &&
         Of(array, dimension) == index.coefficient * Of(op, index.iterator);
}

bool ArrayScales::HasDistance(const Operator& op, const Index& target, ArrayId array,
                              std::size_t dimension, const Index& index) const {
  const int iterator = classes_[array.index][dimension].iterator;
  std::int64_t written = 1;
  const auto result = results_.find(op.result);
  if (result != results_.end()) {
    const std::vector<DimensionClass>& classes = classes_[result->second.index];
    for (std::size_t d = 0; d < classes.size(); ++d) {
      if (classes[d].iterator == iterator) written = Of(result->second, d);
    }
  }
  const Pair pair = PairOf(target, written, index, Of(array, dimension));
  return pair.written.offset.IsConstant() && pair.read.offset.IsConstant();
}

void AxisPoints::Note(const LinearForm& elements, std::int64_t scale, bool written) {
  if (!HasMultiples(elements, scale)) return;
  const LinearForm points = FloorOf(elements, scale);
  bool better = !extent_;
  if (extent_) {
    const LinearForm difference = points - *extent_;
    better = difference.IsConstant() ? difference.constant < 0 : written && !of_written_;
  }
  if (better) extent_ = points;
  of_written_ = of_written_ || written;
}

std::optional<LinearForm> AxisPoints::Excess(const LinearForm& elements, std::int64_t scale) const {
  if (!extent_) return std::nullopt;
  return elements - *extent_ * scale;
}

Pair PairOf(Index written, std::int64_t written_scale, Index read, std::int64_t read_scale) {
  if (written.iterator >= 0) return {written, read};
  const std::int64_t common = std::gcd(written_scale, read_scale);
  written.coefficient = written_scale / common;
  read.coefficient = read_scale / common;
  const LinearForm number = FloorOf(written.offset, written.coefficient);
  written.offset = written.offset - number * written.coefficient;
  read.offset = read.offset - number * read.coefficient;
  return {written, read};
}

LinearForm FloorOf(const LinearForm& form, std::int64_t divisor) {
  LinearForm quotient = LinearForm::Constant(FloorDiv(form.constant, divisor));
  for (const auto& [parameter, coefficient] : form.terms) {
    quotient = quotient + LinearForm::Parameter(parameter) * FloorDiv(coefficient, divisor);
  }
  return quotient;
}

bool HasMultiples(const LinearForm& form, std::int64_t divisor) {
  return std::all_of(form.terms.begin(), form.terms.end(),
                     [&](const auto& term) { return term.second % divisor == 0; });
}

}  // namespace stencilgen::distribute
