// Regions whose conditions on counters leave out reads beyond the edges of arrays.
#include <cstdlib>

#include <fmt/format.h>

#include "support/c_nest_generator.h"
#include "support/c_nest_values.h"

namespace stencilgen::testing {
namespace {

/// Extents go from one to more than twice as far as anything reaches.
constexpr int kLargestExtent = 7, kFarthest = 3;

class EdgeGenerator {
 public:
  EdgeGenerator(Prng& prng, int number) : prng_(prng) {
    setting_.number = number;
    setting_.rank = prng.Range(1, 3);
    setting_.sizes = prng.Percent(40) ? CSizes::Numbers : CSizes::Linear;
    static constexpr const char* kCounters[] = {"i", "j", "k"};
    for (int d = 0; d < setting_.rank; ++d) {
      setting_.counters.emplace_back(kCounters[d]);
      const bool numbers = setting_.sizes == CSizes::Numbers;
      setting_.extents.push_back(numbers ? prng.Range(1, kLargestExtent) : kLargestExtent);
    }
    for (const char* name : {"from", "to", "other"}) {
      setting_.arrays.push_back({fmt::format("{}{}", name, number), CElement::Double});
    }
    nest_.dims.assign(static_cast<std::size_t>(setting_.rank), {});
  }

  CRegion Run() {
    const bool timed = prng_.Percent(30);
    std::string text = fmt::format("static void region_{}({}) {{\n#pragma scop\n", setting_.number,
                                   setting_.Parameters());
    if (timed) text += "  for (int t = 0; t < 3; t++) {\n";
    text += Nest(Body());
    if (timed) text += Nest(fmt::format("    {} = 0.5 * {};\n", Here(0), Here(1))) + "  }\n";
    CRegion region;
    region.rank = setting_.rank;
    region.code = setting_.Globals() + text + "#pragma endscop\n}\n";
    region.run = Calls();
    return region;
  }

 private:
  std::string Nest(const std::string& body) const {
    std::string heads;
    for (int d = 0; d < setting_.rank; ++d) {
      heads += fmt::format("  for (int {0} = 0; {0} < {1}; {0}++)", setting_.counters[d],
                           setting_.Size(d));
    }
    return heads + " {\n" + body + "  }\n";
  }

  std::string Body() {
    switch (prng_.Below(4)) {
      case 0:
        return Elements();
      case 1:
        return TwoBranches();
      case 2:
        return OfChoices();
      default:
        return Sum();
    }
  }

  /// A sum over the neighbours that there are, and sometimes their number.
  std::string Sum() {
    const bool counts = prng_.Percent(30);
    std::string text = fmt::format("    double s = {};\n", Here(0));
    if (counts) text += "    int count = 0;\n";
    const int terms = prng_.Range(1, setting_.rank == 3 ? 3 : 4);
    for (int term = 0; term < terms; ++term) {
      const Offsets offsets = Neighbour();
      std::string condition = Inside(offsets);
      if (prng_.Percent(25)) {
        condition += prng_.Percent(50) ? fmt::format(" && {} != 2", setting_.counters[0])
                                       : fmt::format(" && {} > 0", Here(2));
      }
      const std::string add = fmt::format("s += 0.{} * {};", prng_.Range(1, 9), At(0, offsets));
      text += fmt::format("    if ({}) {}\n", condition,
                          counts ? fmt::format("{{ {} count++; }}", add) : add);
      if (prng_.Percent(25)) text += fmt::format("    else s -= {};\n", Here(2));
    }
    return text + fmt::format("    {} {} s{};\n", Here(1), prng_.Percent(30) ? "+=" : "=",
                              counts ? " - count" : "");
  }

  std::string Elements() {
    std::string text = fmt::format("    {} += {};\n", Here(1), Here(2));
    for (int k = prng_.Range(1, 3); k > 0; --k) {
      const Offsets offsets = Neighbour();
      text += fmt::format("    if ({}) {} {} {};\n", Inside(offsets), Here(1),
                          prng_.Pick<std::string>({"=", "+=", "-="}), At(0, offsets));
      if (prng_.Percent(40)) text += fmt::format("    else {} = {};\n", Here(1), Here(2));
    }
    return text;
  }

  std::string TwoBranches() {
    const int d = prng_.Below(setting_.rank);
    Offsets low(setting_.rank, 0), high(setting_.rank, 0);
    low[d] = -prng_.Range(1, kFarthest);
    high[d] = prng_.Range(1, kFarthest);
    return fmt::format(
        "    double low, high;\n    if ({}) low = {}; else low = {};\n"
        "    if ({}) high = {}; else high = {};\n    {} = 0.5 * {} + low - high;\n",
        Inside(low), At(0, low), Here(0), Inside(high), At(0, high), Here(2), Here(1), Here(0));
  }

  std::string OfChoices() {
    const Offsets a = Neighbour(), b = Neighbour(), c = Neighbour();
    std::string text = fmt::format(
        "    double s = {} ? {} : 0.25;\n    if ({}) {} = s + {};\n    else if ({}) {} = s - {};\n",
        Inside(a), At(0, a), Inside(b), Here(1), At(0, b), Inside(c), Here(1), At(0, c));
    return text + fmt::format("    else {} = s;\n", Here(1));
  }

  /// Along one dimension, or two.
  Offsets Neighbour() {
    Offsets offsets(setting_.rank, 0);
    for (int k = prng_.Percent(40) ? 2 : 1; k > 0; --k) {
      const int distance = prng_.Range(1, kFarthest);
      offsets[prng_.Below(setting_.rank)] = prng_.Percent(50) ? distance : -distance;
    }
    return offsets;
  }

  /// The neighbour is there.
  std::string Inside(const Offsets& offsets) {
    std::string text;
    for (int d = 0; d < setting_.rank; ++d) {
      const int distance = std::abs(offsets[d]);
      if (distance == 0) continue;
      const std::string& c = setting_.counters[d];
      const std::string n = setting_.Size(d);
      if (!text.empty()) text += " && ";
      text += offsets[d] < 0
                  ? prng_.Pick<std::string>({fmt::format("{} >= {}", c, distance),
                                             fmt::format("{} > {}", c, distance - 1),
                                             fmt::format("!({} < {})", c, distance)})
                  : prng_.Pick<std::string>({fmt::format("{} < {} - {}", c, n, distance),
                                             fmt::format("{} + {} < {}", c, distance, n),
                                             fmt::format("{} <= {} - {}", c, n, distance + 1)});
    }
    return text;
  }

  std::string At(int array, const Offsets& offsets) const {
    return values_.Access(setting_.arrays[array], offsets);
  }
  std::string Here(int array) const { return At(array, Offsets(setting_.rank, 0)); }

  /// With all extents up to the largest, where they are no numbers.
  std::string Calls() const {
    const bool numbers = setting_.sizes == CSizes::Numbers;
    std::string text, call = fmt::format("region_{}(0.3, 0.7f, 3", setting_.number);
    for (int d = 0; d < setting_.rank && !numbers; ++d) {
      text += fmt::format("  for (int n{0} = 1; n{0} <= {1}; n{0}++)", d, kLargestExtent);
      call += fmt::format(", n{}", d);
    }
    const std::string store = numbers ? "" : "store_";
    std::string fill, add;
    for (const CArray& array : setting_.arrays) {
      if (!numbers) call += ", store_" + array.name;
      fill += fmt::format("  FILL({}{}, double);\n", store, array.name);
      add += fmt::format("  ADD({}{});\n", store, array.name);
    }
    return text + " {\n" + fill + "  " + call + ");\n" + add + "  }\n";
  }

  Prng& prng_;
  CSetting setting_;
  CNest nest_;
  CNestValues values_{prng_, setting_, nest_};
};

}  // namespace

CRegion RandomEdgeRegion(Prng& prng, int number) {
  return EdgeGenerator(prng, number).Run();
}

}  // namespace stencilgen::testing
