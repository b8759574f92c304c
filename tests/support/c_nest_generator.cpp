#include "support/c_nest_generator.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <set>

#include <fmt/format.h>

namespace stencilgen::testing {
namespace {

enum class Type { Double, Float, Int };

struct Array {
  std::string name;
  Type type = Type::Double;
};

/// How sizes are written.
enum class Sizes { Numbers, Parameters, Linear };

/// Subscripts of a dimension at the edges, in nests over whole arrays.
enum class Edge { Wrap, WrapByChoice, Clamp };

constexpr std::initializer_list<Edge> kEdges = {Edge::Wrap, Edge::WrapByChoice, Edge::Clamp};

using Offsets = std::vector<int>;

class Generator {
 public:
  Generator(Prng& prng, int number, bool refused)
      : prng_(prng), number_(number), refused_(refused) {}

  CRegion Run() {
    Begin();
    const bool timed = prng_.Percent(40);
    std::string head = fmt::format("static void region_{}({}) {{\n", number_, Parameters());
    head += "#pragma scop\n";
    if (timed) Line(fmt::format("for (int t = 0; t < {}; t++) {{", prng_.Range(1, 4)));
    depth_ += timed;
    if (sizes_ == Sizes::Linear) AddFirstNest();
    const int nests = prng_.Range(1, 3);
    const int planted = refused_ ? prng_.Below(nests) : -1;
    for (int k = 0; k < nests; ++k) AddNest(k == planted);
    depth_ -= timed;
    if (timed) Line("}");
    if (total_) AddReduction();
    region_.line += static_cast<int>(std::count(head.begin(), head.end(), '\n'));
    const std::string globals = Globals();
    region_.line += static_cast<int>(std::count(globals.begin(), globals.end(), '\n'));
    region_.code = globals + head + text_ + "#pragma endscop\n}\n";
    region_.run = Calls();
    return region_;
  }

 private:
  void Begin() {
    rank_ = prng_.Range(1, 3);
    region_.rank = rank_;
    sizes_ =
        refused_
            ? Sizes::Numbers
            : prng_.Pick<Sizes>({Sizes::Numbers, Sizes::Numbers, Sizes::Parameters, Sizes::Linear});
    if (rank_ == 1 && sizes_ == Sizes::Linear) sizes_ = Sizes::Parameters;
    radius_ = prng_.Range(1, 2);
    static constexpr const char* kCounters[] = {"i", "j", "k"};
    for (int d = 0; d < rank_; ++d) {
      counters_.emplace_back(kCounters[d]);
      const int most = rank_ == 1 ? 150 : rank_ == 2 ? 40 : 13;
      extents_.push_back(prng_.Range(2 * radius_ + 4, most));
      edges_.push_back(prng_.Pick<Edge>(kEdges));
    }
    static constexpr const char* kNames[] = {"a", "b", "from", "to", "w"};
    const int arrays = prng_.Range(2, 5);
    for (int k = 0; k < arrays; ++k) {
      Array array{fmt::format("{}{}", kNames[k], number_), Type::Double};
      if (k > 1 && prng_.Percent(50)) array.type = prng_.Percent(50) ? Type::Float : Type::Int;
      arrays_.push_back(array);
    }
    total_ = !refused_ && prng_.Percent(20);
  }

  // --- text

  void Line(const std::string& text) { text_ += std::string(2 + 2 * depth_, ' ') + text + "\n"; }
  int LineNumber() const { return static_cast<int>(std::count(text_.begin(), text_.end(), '\n')); }

  static std::string TypeName(Type type) {
    return type == Type::Double ? "double" : type == Type::Float ? "float" : "int";
  }

  std::string Size(int d) const {
    return sizes_ == Sizes::Numbers ? std::to_string(extents_[d]) : fmt::format("n{}", d);
  }

  std::string Parameters() const {
    std::string text = "double c, float f, int q";
    if (sizes_ == Sizes::Numbers) return text;
    for (int d = 0; d < rank_; ++d) text += fmt::format(", int n{}", d);
    if (sizes_ == Sizes::Linear) {
      for (const Array& array : arrays_) {
        text += fmt::format(", {} *{}", TypeName(array.type), array.name);
      }
    }
    return text;
  }

  std::string Globals() const {
    std::string text;
    for (const Array& array : arrays_) {
      const std::string name = (sizes_ == Sizes::Linear ? "store_" : "") + array.name;
      text += fmt::format("{} {}", TypeName(array.type), name);
      if (sizes_ == Sizes::Linear) {
        int size = 1;
        for (const int extent : extents_) size *= extent;
        text += fmt::format("[{}]", size);
      } else {
        for (const int extent : extents_) text += fmt::format("[{}]", extent);
      }
      text += ";\n";
    }
    if (total_) text += fmt::format("int total{};\n", number_);
    return text;
  }

  std::string Calls() const {
    std::string text;
    const std::string store = sizes_ == Sizes::Linear ? "store_" : "";
    for (const Array& array : arrays_) {
      text += fmt::format("  FILL({}{}, {});\n", store, array.name, TypeName(array.type));
    }
    const auto call = [&](int less) {
      text += fmt::format("  region_{}(0.3, 0.7f, 3", number_);
      for (int d = 0; d < rank_ && sizes_ != Sizes::Numbers; ++d) {
        text += fmt::format(", {}", std::max(extents_[d] - less, 2 * radius_ + 1));
      }
      for (const Array& array : arrays_) {
        if (sizes_ == Sizes::Linear) text += ", store_" + array.name;
      }
      text += ");\n";
    };
    call(0);
    if (sizes_ == Sizes::Parameters) call(number_ % 2 == 0 ? 3 : 1000);
    for (const Array& array : arrays_) text += fmt::format("  ADD({}{});\n", store, array.name);
    if (total_) text += fmt::format("  add_bytes(&total{0}, sizeof total{0});\n", number_);
    return text;
  }

  // --- nests

  struct Dimension {
    int step = 1;
    bool whole = false;       ///< from the first element to the last one
    bool triangular = false;  ///< ends at the counter around
  };

  /// What statements of a nest have written, and which arrays others are going to write.
  struct Statement {
    const Array* target = nullptr;
  };

  void AddNest(bool planted) {
    dims_.assign(rank_, {});
    scalars_.clear();
    const bool whole = !planted && sizes_ == Sizes::Numbers && prng_.Percent(20);
    for (int d = 0; d < rank_; ++d) {
      dims_[d].whole = whole;
      if (prng_.Percent(20)) dims_[d].step = -1;
      if (!planted && !whole && prng_.Percent(10)) dims_[d].step = prng_.Range(2, 3);
      dims_[d].triangular = !planted && !whole && d > 0 && dims_[d].step == 1 && prng_.Percent(10);
    }
    const int count = planted ? 2 : prng_.Range(1, 3);
    statements_.clear();
    for (int k = 0; k < count; ++k) statements_.push_back({&prng_.Pick(arrays_)});
    if (planted) {
      statements_[0].target = &arrays_[0];
      statements_[1].target = &arrays_[1];
    }
    for (int d = 0; d < rank_; ++d) {
      Line(Head(d) + (d + 1 == rank_ ? " {" : ""));
      ++depth_;
    }
    if (planted) {
      AddPlanted();
    } else {
      for (at_ = 0; at_ < count; ++at_) AddStatement();
    }
    depth_ -= rank_;
    Line(std::string(2 * (rank_ - 1), ' ') + "}");
  }

  /// All elements of all arrays: how many there are is known by their use.
  void AddFirstNest() {
    dims_.assign(rank_, {});
    for (Dimension& dim : dims_) dim.whole = true;
    for (int d = 0; d < rank_; ++d) {
      Line(Head(d) + (d + 1 == rank_ ? " {" : ""));
      ++depth_;
    }
    for (const Array& array : arrays_) {
      Line(fmt::format("{} += {};", Access(array, Offsets(rank_, 0)),
                       array.type == Type::Int ? "q" : "c"));
    }
    depth_ -= rank_;
    Line(std::string(2 * (rank_ - 1), ' ') + "}");
  }

  std::string Head(int d) {
    const Dimension& dim = dims_[d];
    const std::string& c = counters_[d];
    const int margin = dim.whole ? 0 : radius_;
    const std::string end = margin == 0 ? Size(d) : fmt::format("{} - {}", Size(d), margin);
    const std::string last = fmt::format("{} - {}", Size(d), margin + 1);
    if (dim.step < 0) {
      const std::string bound = prng_.Percent(50) ? fmt::format("{} >= {}", c, margin)
                                                  : fmt::format("{} > {}", c, margin - 1);
      return fmt::format("for (int {0} = {1}; {2}; {0}--)", c, last, bound);
    }
    if (dim.triangular) {
      return fmt::format("for (int {0} = {1}; {0} < {2} && {0} <= {3} + {4}; {0}++)", c, margin,
                         end, counters_[d - 1], prng_.Range(0, 2));
    }
    const std::string step =
        dim.step == 1 ? fmt::format("{}{}", c, "++") : fmt::format("{} += {}", c, dim.step);
    std::string bound = fmt::format("{} < {}", c, end);
    if (prng_.Percent(30)) bound = fmt::format("{} <= {}", c, last);
    if (dim.step == 1 && sizes_ == Sizes::Numbers && prng_.Percent(20)) {
      bound = fmt::format("{} != {}", c, end);
    }
    return fmt::format("for (int {} = {}; {}; {})", c, margin, bound, step);
  }

  void AddStatement() {
    const int kind = prng_.Below(10);
    if (kind == 0) {
      const std::string name = fmt::format("s{}", scalars_.size());
      Line(fmt::format("double {} = {};", name, Value(2, Type::Double)));
      if (prng_.Percent(50)) {
        Line(fmt::format("if ({}) {} = {};", Condition(), name, Value(1, Type::Double)));
      }
      scalars_.push_back(name);
    }
    const Array& target = *statements_[at_].target;
    if (kind == 1) {
      const std::string name = fmt::format("s{}", scalars_.size());
      Line(fmt::format("double {};", name));
      Line(fmt::format("if ({}) {{", Condition()));
      Line(fmt::format("  {} = {};", name, Value(2, Type::Double)));
      Line("} else {");
      Line(fmt::format("  {} = {};", name, Value(2, Type::Double)));
      Line("}");
      scalars_.push_back(name);
    }
    if (kind == 2) {
      Line(fmt::format("if ({}) {{", Condition()));
      Line("  " + Assignment(target));
      Line("} else");
      Line("  " + Assignment(target));
    } else if (kind == 3) {
      Line(fmt::format("if ({}) {}", Condition(), Assignment(target)));
    } else {
      Line(Assignment(target));
    }
  }

  std::string Assignment(const Array& target) {
    const std::string place = Access(target, Offsets(rank_, 0));
    if (target.type == Type::Int)
      return fmt::format("{} = ({}) % 1000;", place, Value(2, Type::Int));
    if (prng_.Percent(15)) {
      return fmt::format("{} {}= {};", place, prng_.Pick<std::string>({"+", "-", "*"}),
                         Value(2, target.type));
    }
    return fmt::format("{} = {};", place, Value(3, target.type));
  }

  /// A sum of numbers over all elements but the outermost.
  void AddReduction() {
    const Array* counted = nullptr;
    for (const Array& array : arrays_) {
      if (array.type == Type::Int) counted = &array;
    }
    dims_.assign(rank_, {});
    for (int d = 0; d < rank_; ++d) {
      Line(Head(d));
      ++depth_;
    }
    statements_.clear();
    at_ = 0;
    const std::string value = counted != nullptr ? Access(*counted, Offsets(rank_, 1)) + " % 10"
                                                 : fmt::format("{} % 3", counters_[0]);
    Line(fmt::format("total{} += {};", number_, value));
    depth_ -= rank_;
  }

  // --- values

  /// The first dimension in which another point is read, and how many iterations earlier (negative)
  /// or later (positive) that is; 0: never.
  int Distance(const Offsets& offsets, int& dimension) const {
    for (int d = 0; d < rank_; ++d) {
      if (offsets[d] % std::abs(dims_[d].step) != 0) return 0;
    }
    for (int d = 0; d < rank_; ++d) {
      if (offsets[d] == 0) continue;
      dimension = d;
      return offsets[d] / dims_[d].step;
    }
    return 0;
  }

  /// Whether array assignments in the statements' order read what the loops read.
  bool Keeps(const Array& array, const Offsets& offsets) const {
    bool before = false, after = false;
    for (std::size_t k = 0; k < statements_.size(); ++k) {
      if (statements_[k].target != &array) continue;
      (static_cast<int>(k) < at_ ? before : after) = true;
    }
    if (!before && !after) return true;
    if (dims_[0].whole) return Distance(offsets, unused_) == 0;
    const int distance = Distance(offsets, unused_);
    return (distance <= 0 || !before) && (distance >= 0 || !after);
  }

  Offsets RandomOffsets() {
    Offsets offsets(rank_, 0);
    const int most = dims_[0].whole ? 1 : radius_;
    for (int& offset : offsets) {
      if (prng_.Percent(45)) offset = prng_.Range(-most, most);
    }
    return offsets;
  }

  std::string Subscript(int d, int offset) const {
    const std::string& c = counters_[d];
    if (offset == 0) return c;
    if (!dims_[d].whole)
      return fmt::format("{} {} {}", c, offset < 0 ? "-" : "+", std::abs(offset));
    const std::string n = Size(d);
    const Edge edge = prng_.Percent(20) ? prng_.Pick<Edge>(kEdges) : edges_[d];
    switch (edge) {
      case Edge::Wrap:
        return offset > 0 ? fmt::format("({} + 1) % {}", c, n)
                          : fmt::format("({} + {} - 1) % {}", c, n, n);
      case Edge::WrapByChoice:
        return offset > 0 ? fmt::format("{0} == {1} - 1 ? 0 : {0} + 1", c, n)
                          : fmt::format("{0} > 0 ? {0} - 1 : {1} - 1", c, n);
      case Edge::Clamp:
        return offset > 0 ? fmt::format("{0} < {1} - 1 ? {0} + 1 : {1} - 1", c, n)
                          : fmt::format("{0} > 0 ? {0} - 1 : 0", c);
    }
    return c;
  }

  std::string Access(const Array& array, const Offsets& offsets) const {
    if (sizes_ != Sizes::Linear) {
      std::string text = array.name;
      for (int d = 0; d < rank_; ++d) text += fmt::format("[{}]", Subscript(d, offsets[d]));
      return text;
    }
    std::string index = Subscript(0, offsets[0]);
    for (int d = 1; d < rank_; ++d) {
      index = fmt::format("({}) * {} + {}", index, Size(d), Subscript(d, offsets[d]));
    }
    return fmt::format("{}[{}]", array.name, index);
  }

  std::string Read(Type type) {
    for (int tries = 0; tries < 20; ++tries) {
      const Array& array = prng_.Pick(arrays_);
      if ((array.type == Type::Int) != (type == Type::Int)) continue;
      const Offsets offsets = RandomOffsets();
      if (Keeps(array, offsets)) return Access(array, offsets);
    }
    return type == Type::Int ? "q" : "c";
  }

  std::string Leaf(Type type) {
    const int kind = prng_.Below(10);
    if (type == Type::Int) {
      if (kind < 5) return Read(type);
      if (kind < 7) return prng_.Pick(counters_);
      return kind < 8 ? "q" : std::to_string(prng_.Range(0, 20));
    }
    if (kind < 6) return Read(type);
    if (kind == 6 && !scalars_.empty()) return prng_.Pick(scalars_);
    if (kind == 7) return prng_.Pick<std::string>({"c", "f", "q"});
    if (kind == 8) return prng_.Pick(counters_);
    return prng_.Pick<std::string>({"0.5", "0.25f", "1.0", "3", "0.1", "1e-3", ".7f"});
  }

  std::string Value(int depth, Type type) {
    if (depth == 0 || prng_.Percent(15)) return Leaf(type);
    const auto value = [&] { return Value(depth - 1, type); };
    const int kind = prng_.Below(12);
    if (type == Type::Int) {
      if (kind < 6) return fmt::format("({} {} {})", value(), kind < 3 ? "+" : "-", value());
      if (kind < 8) return fmt::format("{} % {}", Leaf(type), prng_.Range(2, 9));
      if (kind < 9) return fmt::format("{} / {}", Leaf(type), prng_.Range(2, 9));
      if (kind < 10) return fmt::format("({} ? {} : {})", Condition(), value(), value());
      return fmt::format("3 * {}", Leaf(type));
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

  std::string Condition() {
    const std::string& c = prng_.Pick(counters_);
    switch (prng_.Below(7)) {
      case 0:
        return fmt::format("{} == {}", c, prng_.Range(0, 4));
      case 1:
        return fmt::format("{} > {} && {} < {} - 2", c, prng_.Range(0, 4), counters_[0], Size(0));
      case 2:
        return fmt::format("{} % 2 == {}", c, prng_.Below(2));
      case 3:
        return fmt::format("{} <= {} || {} == 3", counters_[0], c, c);
      default:
        return fmt::format("{} {} {}", Read(Type::Double),
                           prng_.Pick<std::string>({"<", ">", "<=", ">="}),
                           prng_.Pick<std::string>({"0.0", "0.25", "c", "f"}));
    }
  }

  // --- what no order of array assignments keeps

  /// Two statements with a dependence between different points.
  void AddPlanted() {
    const int kind = prng_.Below(4);
    const std::string here[] = {Access(arrays_[0], Offsets(rank_, 0)),
                                Access(arrays_[1], Offsets(rank_, 0))};
    Offsets offsets;
    int d = 0;
    const bool behind = kind != 1;
    do {
      offsets = RandomOffsets();
    } while (Distance(offsets, d) == 0 || (Distance(offsets, d) < 0) != behind);
    const int distance = std::abs(Distance(offsets, d));
    const auto plus = [&](const std::string& value) {
      return prng_.Percent(50) ? fmt::format("0.5 * {} + {}", value, prng_.Percent(50) ? "c" : "f")
                               : fmt::format("c - {}", value);
    };
    const std::string later =
        distance == 1 ? fmt::format("one iteration of `{}` later", counters_[d])
                      : fmt::format("{} iterations of `{}` later", distance, counters_[d]);
    const auto expect = [&](const std::string& target, const std::string& before,
                            const std::string& source, const std::string& now) {
      region_.refused = fmt::format("`{}`, which has been {} as `{}`, is {} {} [scop-dependence]",
                                    Tight(target), before, Tight(source), now, later);
    };
    const std::string there = Access(arrays_[kind == 0 || kind == 1 ? 0 : 1], offsets);
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
  int number_;
  bool refused_;
  CRegion region_;
  int rank_ = 1, radius_ = 1;
  Sizes sizes_ = Sizes::Numbers;
  std::vector<std::string> counters_;
  std::vector<int> extents_;
  std::vector<Edge> edges_;
  std::vector<Array> arrays_;
  bool total_ = false;
  std::string text_;
  int depth_ = 0;
  std::vector<Dimension> dims_;        ///< of the nest that is being written
  std::vector<Statement> statements_;  ///< the same
  int at_ = 0;                         ///< the number of the statement
  std::vector<std::string> scalars_;   ///< that are set
  mutable int unused_ = 0;
};

}  // namespace

CRegion RandomRegion(Prng& prng, int number) {
  return Generator(prng, number, false).Run();
}

CRegion RandomRefusedRegion(Prng& prng, int number) {
  return Generator(prng, number, true).Run();
}

}  // namespace stencilgen::testing
