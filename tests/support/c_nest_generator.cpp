#include "support/c_nest_generator.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "support/c_nest_setting.h"
#include "support/c_nest_values.h"

namespace stencilgen::testing {
namespace {

class Generator {
 public:
  Generator(Prng& prng, int number, bool refused) : prng_(prng), refused_(refused) {
    setting_.number = number;
  }

  CRegion Run() {
    Begin();
    const bool timed = prng_.Percent(40);
    std::string head =
        fmt::format("static void region_{}({}) {{\n", setting_.number, setting_.Parameters());
    head += "#pragma scop\n";
    if (timed) Line(fmt::format("for (int t = 0; t < {}; t++) {{", prng_.Range(1, 4)));
    depth_ += timed;
    if (setting_.sizes == CSizes::Linear) AddFirstNest();
    const int nests = prng_.Range(1, 3);
    const int planted = refused_ ? prng_.Below(nests) : -1;
    for (int k = 0; k < nests; ++k) AddNest(k == planted);
    depth_ -= timed;
    if (timed) Line("}");
    if (setting_.total) AddReduction();
    region_.line += static_cast<int>(std::count(head.begin(), head.end(), '\n'));
    const std::string globals = setting_.Globals();
    region_.line += static_cast<int>(std::count(globals.begin(), globals.end(), '\n'));
    region_.code = globals + head + text_ + "#pragma endscop\n}\n";
    region_.run = setting_.Calls();
    return region_;
  }

 private:
  void Begin() {
    setting_.rank = prng_.Range(1, 3);
    region_.rank = setting_.rank;
    setting_.sizes = refused_ ? CSizes::Numbers
                              : prng_.Pick<CSizes>({CSizes::Numbers, CSizes::Numbers,
                                                    CSizes::Parameters, CSizes::Linear});
    if (setting_.rank == 1 && setting_.sizes == CSizes::Linear) setting_.sizes = CSizes::Parameters;
    setting_.radius = prng_.Range(1, 2);
    static constexpr const char* kCounters[] = {"i", "j", "k"};
    for (int d = 0; d < setting_.rank; ++d) {
      setting_.counters.emplace_back(kCounters[d]);
      const int most = setting_.rank == 1 ? 150 : setting_.rank == 2 ? 40 : 13;
      setting_.extents.push_back(prng_.Range(2 * setting_.radius + 4, most));
      setting_.edges.push_back(prng_.Pick<CEdge>(kCEdges));
    }
    static constexpr const char* kNames[] = {"a", "b", "from", "to", "w"};
    const int arrays = prng_.Range(2, 5);
    for (int k = 0; k < arrays; ++k) {
      CArray array{fmt::format("{}{}", kNames[k], setting_.number), CElement::Double};
      if (k > 1 && prng_.Percent(50))
        array.type = prng_.Percent(50) ? CElement::Float : CElement::Int;
      if (array.type == CElement::Int && prng_.Percent(50)) {
        array.narrow =
            prng_.Pick<std::string>({"unsigned char", "signed char", "unsigned short", "short"});
      }
      setting_.arrays.push_back(array);
    }
    setting_.total = !refused_ && prng_.Percent(20);
  }

  // --- text

  void Line(const std::string& text) { text_ += std::string(2 + 2 * depth_, ' ') + text + "\n"; }
  int LineNumber() const { return static_cast<int>(std::count(text_.begin(), text_.end(), '\n')); }

  // --- nests

  void AddNest(bool planted) {
    nest_.dims.assign(setting_.rank, {});
    nest_.scalars.clear();
    const bool whole = !planted && setting_.sizes == CSizes::Numbers && prng_.Percent(20);
    for (int d = 0; d < setting_.rank; ++d) {
      nest_.dims[d].whole = whole;
      if (prng_.Percent(20)) nest_.dims[d].step = -1;
      if (!planted && !whole && prng_.Percent(10)) nest_.dims[d].step = prng_.Range(2, 3);
      nest_.dims[d].triangular =
          !planted && !whole && d > 0 && nest_.dims[d].step == 1 && prng_.Percent(10);
    }
    const int count = planted ? 2 : prng_.Range(1, 3);
    nest_.targets.clear();
    for (int k = 0; k < count; ++k) nest_.targets.push_back(&prng_.Pick(setting_.arrays));
    if (planted) {
      nest_.targets[0] = &setting_.arrays[0];
      nest_.targets[1] = &setting_.arrays[1];
    }
    for (int d = 0; d < setting_.rank; ++d) {
      Line(Head(d) + (d + 1 == setting_.rank ? " {" : ""));
      ++depth_;
    }
    if (planted) {
      AddPlanted();
    } else {
      for (nest_.at = 0; nest_.at < count; ++nest_.at) AddStatement();
    }
    depth_ -= setting_.rank;
    Line(std::string(2 * (setting_.rank - 1), ' ') + "}");
  }

  /// All elements of all arrays: how many there are is known by their use.
  void AddFirstNest() {
    nest_.dims.assign(setting_.rank, {});
    for (CDimension& dim : nest_.dims) dim.whole = true;
    for (int d = 0; d < setting_.rank; ++d) {
      Line(Head(d) + (d + 1 == setting_.rank ? " {" : ""));
      ++depth_;
    }
    for (const CArray& array : setting_.arrays) {
      Line(fmt::format("{} += {};", values_.Access(array, Offsets(setting_.rank, 0)),
                       array.type == CElement::Int ? "q" : "c"));
    }
    depth_ -= setting_.rank;
    Line(std::string(2 * (setting_.rank - 1), ' ') + "}");
  }

  std::string Head(int d) {
    const CDimension& dim = nest_.dims[d];
    const std::string& c = setting_.counters[d];
    const int margin = dim.whole ? 0 : setting_.radius;
    const std::string end =
        margin == 0 ? setting_.Size(d) : fmt::format("{} - {}", setting_.Size(d), margin);
    const std::string last = fmt::format("{} - {}", setting_.Size(d), margin + 1);
    if (dim.step < 0) {
      const std::string bound = prng_.Percent(50) ? fmt::format("{} >= {}", c, margin)
                                                  : fmt::format("{} > {}", c, margin - 1);
      return fmt::format("for (int {0} = {1}; {2}; {0}--)", c, last, bound);
    }
    if (dim.triangular) {
      return fmt::format("for (int {0} = {1}; {0} < {2} && {0} <= {3} + {4}; {0}++)", c, margin,
                         end, setting_.counters[d - 1], prng_.Range(0, 2));
    }
    const std::string step =
        dim.step == 1 ? fmt::format("{}{}", c, "++") : fmt::format("{} += {}", c, dim.step);
    std::string bound = fmt::format("{} < {}", c, end);
    if (prng_.Percent(30)) bound = fmt::format("{} <= {}", c, last);
    if (dim.step == 1 && setting_.sizes == CSizes::Numbers && prng_.Percent(20)) {
      bound = fmt::format("{} != {}", c, end);
    }
    return fmt::format("for (int {} = {}; {}; {})", c, margin, bound, step);
  }

  void AddStatement() {
    const int kind = prng_.Below(10);
    if (kind == 0) {
      const std::string name = fmt::format("s{}", nest_.scalars.size());
      Line(fmt::format("double {} = {};", name, values_.Value(2, CElement::Double)));
      if (prng_.Percent(50)) {
        Line(fmt::format("if ({}) {} = {};", values_.Condition(), name,
                         values_.Value(1, CElement::Double)));
      }
      nest_.scalars.push_back(name);
    }
    const CArray& target = *nest_.targets[nest_.at];
    if (kind == 1) {
      const std::string name = fmt::format("s{}", nest_.scalars.size());
      Line(fmt::format("double {};", name));
      Line(fmt::format("if ({}) {{", values_.Condition()));
      Line(fmt::format("  {} = {};", name, values_.Value(2, CElement::Double)));
      Line("} else {");
      Line(fmt::format("  {} = {};", name, values_.Value(2, CElement::Double)));
      Line("}");
      nest_.scalars.push_back(name);
    }
    if (kind == 2) {
      Line(fmt::format("if ({}) {{", values_.Condition()));
      Line("  " + Assignment(target));
      Line("} else");
      Line("  " + Assignment(target));
    } else if (kind == 3) {
      Line(fmt::format("if ({}) {}", values_.Condition(), Assignment(target)));
    } else {
      Line(Assignment(target));
    }
  }

  std::string Assignment(const CArray& target) {
    const std::string place = values_.Access(target, Offsets(setting_.rank, 0));
    if (!target.narrow.empty() && prng_.Percent(70)) {
      return fmt::format("{} {}= {};", place, prng_.Pick<std::string>({"", "", "+", "-"}),
                         values_.Value(2, CElement::Int));
    }
    if (target.type == CElement::Int)
      return fmt::format("{} = ({}) % 1000;", place, values_.Value(2, CElement::Int));
    if (prng_.Percent(15)) {
      return fmt::format("{} {}= {};", place, prng_.Pick<std::string>({"+", "-", "*"}),
                         values_.Value(2, target.type));
    }
    return fmt::format("{} = {};", place, values_.Value(3, target.type));
  }

  /// A sum of numbers over all elements but the outermost.
  void AddReduction() {
    const CArray* counted = nullptr;
    for (const CArray& array : setting_.arrays) {
      if (array.type == CElement::Int) counted = &array;
    }
    nest_.dims.assign(setting_.rank, {});
    for (int d = 0; d < setting_.rank; ++d) {
      Line(Head(d));
      ++depth_;
    }
    nest_.targets.clear();
    nest_.at = 0;
    const std::string value = counted != nullptr
                                  ? values_.Access(*counted, Offsets(setting_.rank, 1)) + " % 10"
                                  : fmt::format("{} % 3", setting_.counters[0]);
    Line(fmt::format("total{} += {};", setting_.number, value));
    depth_ -= setting_.rank;
  }

  // --- what no order of array assignments keeps

  /// Two statements with a dependence between different points.
  void AddPlanted() {
    const int kind = prng_.Below(4);
    const std::string here[] = {values_.Access(setting_.arrays[0], Offsets(setting_.rank, 0)),
                                values_.Access(setting_.arrays[1], Offsets(setting_.rank, 0))};
    Offsets offsets;
    CNestValues::Distance found;
    const bool behind = kind != 1;
    do {
      offsets = values_.RandomOffsets();
      found = values_.DistanceOf(offsets);
    } while (found.iterations == 0 || (found.iterations < 0) != behind);
    const int d = found.dimension;
    const int distance = std::abs(found.iterations);
    const auto plus = [&](const std::string& value) {
      return prng_.Percent(50) ? fmt::format("0.5 * {} + {}", value, prng_.Percent(50) ? "c" : "f")
                               : fmt::format("c - {}", value);
    };
    const std::string later =
        distance == 1 ? fmt::format("one iteration of `{}` later", setting_.counters[d])
                      : fmt::format("{} iterations of `{}` later", distance, setting_.counters[d]);
    const auto expect = [&](const std::string& target, const std::string& before,
                            const std::string& source, const std::string& now) {
      region_.refused = fmt::format("`{}`, which has been {} as `{}`, is {} {} [scop-dependence]",
                                    Tight(target), before, Tight(source), now, later);
    };
    const std::string there =
        values_.Access(setting_.arrays[kind == 0 || kind == 1 ? 0 : 1], offsets);
    if (kind == 0) {  // of itself, as Gauss and Seidel have it
      Line(fmt::format("{} = {};", here[0], plus(there)));
      region_.line = LineNumber();
      expect(there, "written", here[0], "read");
      Line(fmt::format("{} = {};", here[1], plus("q")));
    } else if (kind == 1) {  // the second statement reads what the first one writes later
      Line(fmt::format("{} = {};", here[0], plus("f")));
      region_.line = LineNumber();
      Line(fmt::format("{} = {};", here[1], plus(there)));
      expect(here[0], "read", there, "written");
    } else if (kind == 2) {  // the first statement reads what the second one has written
      Line(fmt::format("{} = {};", here[0], plus(there)));
      region_.line = LineNumber();
      expect(there, "written", here[1], "read");
      Line(fmt::format("{} = {};", here[1], plus("q")));
    } else {  // within one statement of two places
      Line(fmt::format("{} = {};", here[0], plus("q")));
      Line(fmt::format("{} = {} + {};", here[1], plus(there), here[0]));
      region_.line = LineNumber();
      expect(there, "written", here[1], "read");
    }
  }

  /// As messages print subscripts.
  static std::string Tight(const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c != ' ') out.push_back(c);
    }
    return out;
  }

  Prng& prng_;
  bool refused_;
  CRegion region_;
  CSetting setting_;
  CNest nest_;  ///< that is being written
  CNestValues values_{prng_, setting_, nest_};
  std::string text_;
  int depth_ = 0;
};

}  // namespace

CRegion RandomRegion(Prng& prng, int number) {
  return Generator(prng, number, false).Run();
}

CRegion RandomRefusedRegion(Prng& prng, int number) {
  return Generator(prng, number, true).Run();
}

}  // namespace stencilgen::testing
