#include "support/c_nest_values.h"

#include <cstdlib>

#include <fmt/format.h>

namespace stencilgen::testing {

CNestValues::Distance CNestValues::DistanceOf(const Offsets& offsets) const {
  for (int d = 0; d < setting_.rank; ++d) {
    if (offsets[d] % std::abs(nest_.dims[d].step) != 0) return {};
  }
  for (int d = 0; d < setting_.rank; ++d) {
    if (offsets[d] != 0) return {d, offsets[d] / nest_.dims[d].step};
  }
  return {};
}

/// Whether array assignments in the statements' order read what the loops read.
bool CNestValues::Keeps(const CArray& array, const Offsets& offsets) const {
  bool before = false, after = false;
  for (std::size_t k = 0; k < nest_.targets.size(); ++k) {
    if (nest_.targets[k] != &array) continue;
    (static_cast<int>(k) < nest_.at ? before : after) = true;
  }
  if (!before && !after) return true;
  const int distance = DistanceOf(offsets).iterations;
  if (nest_.dims[0].whole) return distance == 0;
  return (distance <= 0 || !before) && (distance >= 0 || !after);
}

Offsets CNestValues::RandomOffsets() {
  Offsets offsets(setting_.rank, 0);
  const int most = nest_.dims[0].whole ? 1 : setting_.radius;
  for (int& offset : offsets) {
    if (prng_.Percent(45)) offset = prng_.Range(-most, most);
  }
  return offsets;
}

std::string CNestValues::Subscript(int d, int offset) const {
  const std::string& c = setting_.counters[d];
  if (offset == 0) return c;
  if (!nest_.dims[d].whole)
    return fmt::format("{} {} {}", c, offset < 0 ? "-" : "+", std::abs(offset));
  const std::string n = setting_.Size(d);
  const CEdge edge = prng_.Percent(20) ? prng_.Pick<CEdge>(kCEdges) : setting_.edges[d];
  switch (edge) {
    case CEdge::Wrap:
      return offset > 0 ? fmt::format("({} + 1) % {}", c, n)
                        : fmt::format("({} + {} - 1) % {}", c, n, n);
    case CEdge::WrapByChoice:
      return offset > 0 ? fmt::format("{0} == {1} - 1 ? 0 : {0} + 1", c, n)
                        : fmt::format("{0} > 0 ? {0} - 1 : {1} - 1", c, n);
    case CEdge::Clamp:
      return offset > 0 ? fmt::format("{0} < {1} - 1 ? {0} + 1 : {1} - 1", c, n)
                        : fmt::format("{0} > 0 ? {0} - 1 : 0", c);
  }
  return c;
}

std::string CNestValues::Access(const CArray& array, const Offsets& offsets) const {
  if (setting_.sizes != CSizes::Linear) {
    std::string text = array.name;
    for (int d = 0; d < setting_.rank; ++d) text += fmt::format("[{}]", Subscript(d, offsets[d]));
    return text;
  }
  std::string index = Subscript(0, offsets[0]);
  for (int d = 1; d < setting_.rank; ++d) {
    index = fmt::format("({}) * {} + {}", index, setting_.Size(d), Subscript(d, offsets[d]));
  }
  return fmt::format("{}[{}]", array.name, index);
}

std::string CNestValues::Read(CElement type) {
  for (int tries = 0; tries < 20; ++tries) {
    const CArray& array = prng_.Pick(setting_.arrays);
    if ((array.type == CElement::Int) != (type == CElement::Int)) continue;
    const Offsets offsets = RandomOffsets();
    if (Keeps(array, offsets)) return Access(array, offsets);
  }
  return type == CElement::Int ? "q" : "c";
}

std::string CNestValues::Leaf(CElement type) {
  const int kind = prng_.Below(10);
  if (type == CElement::Int) {
    if (kind < 5) return Read(type);
    if (kind < 7) return prng_.Pick(setting_.counters);
    return kind < 8 ? "q" : std::to_string(prng_.Range(0, 20));
  }
  if (kind < 6) return Read(type);
  if (kind == 6 && !nest_.scalars.empty()) return prng_.Pick(nest_.scalars);
  if (kind == 7) return prng_.Pick<std::string>({"c", "f", "q"});
  if (kind == 8) return prng_.Pick(setting_.counters);
  return prng_.Pick<std::string>({"0.5", "0.25f", "1.0", "3", "0.1", "1e-3", ".7f"});
}

std::string CNestValues::Value(int depth, CElement type) {
  if (depth == 0 || prng_.Percent(15)) return Leaf(type);
  const auto value = [&] { return Value(depth - 1, type); };
  const int kind = prng_.Below(12);
  if (type == CElement::Int) {
    if (kind < 6) return fmt::format("({} {} {})", value(), kind < 3 ? "+" : "-", value());
    if (kind < 8) return fmt::format("{} % {}", Leaf(type), prng_.Range(2, 9));
    if (kind < 9) return fmt::format("{} / {}", Leaf(type), prng_.Range(2, 9));
    if (kind < 10) return fmt::format("({} ? {} : {})", Condition(), value(), value());
    if (prng_.Percent(50)) return fmt::format("3 * {}", Leaf(type));
    if (prng_.Percent(50)) return fmt::format("({} >> {})", Leaf(type), prng_.Range(0, 4));
    if (prng_.Percent(50)) return fmt::format("(unsigned char)({})", value());
    const std::string leaf = Leaf(type);
    return fmt::format("({0} < 0 ? 0 : {0} > 255 ? 255 : {0})", leaf);
  }
  if (kind < 5) {
    return fmt::format("({} {} {})", value(), prng_.Pick<std::string>({"+", "-", "*"}), value());
  }
  if (kind < 7) return fmt::format("0.5 * ({} + {})", value(), value());
  if (kind == 7) return fmt::format("{} / (1.5 + fabs({}))", value(), Leaf(type));
  if (kind == 8) {
    return fmt::format("{}({}, {})", prng_.Percent(50) ? "fmin" : "fmax", value(), value());
  }
  if (kind == 9) return fmt::format("({} ? {} : {})", Condition(), value(), value());
  if (kind == 10) return fmt::format("sqrt(fabs({}))", value());
  return prng_.Percent(50) ? fmt::format("(float)({})", value()) : fmt::format("-{}", Leaf(type));
}

std::string CNestValues::Condition() {
  const std::string& c = prng_.Pick(setting_.counters);
  switch (prng_.Below(7)) {
    case 0:
      return fmt::format("{} == {}", c, prng_.Range(0, 4));
    case 1:
      return fmt::format("{} > {} && {} < {} - 2", c, prng_.Range(0, 4), setting_.counters[0],
                         setting_.Size(0));
    case 2:
      return fmt::format("{} % 2 == {}", c, prng_.Below(2));
    case 3:
      return fmt::format("{} <= {} || {} == 3", setting_.counters[0], c, c);
    default:
      return fmt::format("{} {} {}", Read(CElement::Double),
                         prng_.Pick<std::string>({"<", ">", "<=", ">="}),
                         prng_.Pick<std::string>({"0.0", "0.25", "c", "f"}));
  }
}

}  // namespace stencilgen::testing
