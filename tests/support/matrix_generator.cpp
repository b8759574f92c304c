#include "support/matrix_generator.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lower/cpp/matrix_packs.h"

namespace stencilgen::testing {
namespace {

/// Something that an index moves along, and how many values it takes.
struct Walk {
  std::string name, count;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : prng_(seed) {}

  TestProgram Run() {
    const int rank = prng_.Range(1, 3);
    const std::vector<Walk> all = {{"l", "L"}, {"i", "M"}, {"j", "N"}};
    points_.assign(all.end() - rank, all.end());
    type_ = prng_.Pick<std::string>({"double", "double", "float", "int"});
    transposes_ = rank > 1 && prng_.Percent(15);
    if (!transposes_) turns_ = {{"k", "K"}};
    if (!transposes_ && prng_.Percent(30)) turns_.insert(turns_.begin(), {"p", "P"});
    TestProgram program;
    program.name = "matrix";
    program.text = Text();
    for (int run = 0; run < 3; ++run) {
      std::map<std::string, std::int64_t> sizes;
      for (const char* name : {"L", "M", "N", "K", "P"}) sizes[name] = prng_.Range(1, 13);
      if (prng_.Percent(20)) sizes["K"] = prng_.Range(14, 40);
      if (rank == 3) sizes["L"] = prng_.Range(1, 5);
      sizes["P"] = prng_.Range(1, 3);
      program.sizes.push_back(std::move(sizes));
    }
    return program;
  }

 private:
  /// `a2[i + 1][k]`, of a new array or one that was read before.
  std::string Element() {
    if (!elements_.empty() && prng_.Percent(25)) return prng_.Pick(elements_);
    std::vector<Walk> walks = points_;
    walks.insert(walks.end(), turns_.begin(), turns_.end());
    const std::string name = fmt::format("a{}", elements_.size());
    std::string element = name;
    std::string declared = name;
    std::vector<std::string> extents;
    const int rank = prng_.Range(1, 3);
    for (int d = 0; d < rank; ++d) {
      const int offset = prng_.Below(3);
      std::string index, extent;
      if (!prng_.Percent(15)) {
        // An index moves with the point or with turns, never with both.
        const Walk& walk = prng_.Pick(walks);
        index = walk.name;
        extent = walk.count;
        const bool is_turn = std::any_of(turns_.begin(), turns_.end(),
                                         [&](const Walk& turn) { return turn.name == walk.name; });
        if (is_turn && prng_.Percent(20)) {
          const Walk& turn = prng_.Pick(turns_);
          index += "+" + turn.name;
          extent += "+" + turn.count;
        }
      }
      if (offset > 0 || index.empty()) {
        index += fmt::format("{}{}", index.empty() ? "" : "+", offset);
      }
      extent += fmt::format("{}{}", extent.empty() ? "" : "+", 3);
      element += fmt::format("[{}]", index);
      extents.push_back(extent);
    }
    arrays_.push_back(fmt::format("{}[{}]", name, fmt::join(extents, ",")));
    names_.push_back(name);
    elements_.push_back(element);
    return element;
  }

  std::string Value(int depth) {
    if (depth == 0 || prng_.Percent(40)) {
      return prng_.Percent(15) ? std::string("s") : Element();
    }
    const std::string lhs = Value(depth - 1), rhs = Value(depth - 1);
    switch (prng_.Below(type_ == "int" ? 3 : 4)) {
      case 0:
        return fmt::format("({} + {})", lhs, rhs);
      case 1:
        return fmt::format("({} - {})", lhs, rhs);
      case 2:
        return fmt::format("{}*{}", lhs, rhs);
      default:
        return fmt::format("max({}, {})", lhs, rhs);
    }
  }

  std::string Subscripts(const std::vector<Walk>& walks) {
    std::string text;
    for (const Walk& walk : walks) text += fmt::format("[{}]", walk.name);
    return text;
  }

  std::string Body() {
    const std::string target = "c" + Subscripts(points_);
    if (transposes_) {
      std::vector<Walk> turned(points_.rbegin(), points_.rend());
      arrays_.emplace_back("b[");
      for (std::size_t d = 0; d < turned.size(); ++d) {
        arrays_.back() += fmt::format("{}{}", d == 0 ? "" : ",", turned[d].count);
      }
      arrays_.back() += "]";
      names_.emplace_back("b");
      return fmt::format("  {} = b{} + {};\n", target, Subscripts(turned), Value(1));
    }
    std::string text;
    if (prng_.Percent(30)) {
      text += fmt::format("  {} t = {};\n", type_, Value(1));
      elements_.emplace_back("t");
    }
    const std::string value = Value(2);
    if (prng_.Percent(20)) return text + fmt::format("  {0} = min({0}, {1});\n", target, value);
    if (prng_.Percent(10)) return text + fmt::format("  {} = {};\n", target, value);
    return text + fmt::format("  {0} = {0} + {1};\n", target, value);
  }

  /// The domain of the call; empty for the usual one, all points.
  std::string Domain() {
    std::string text;
    for (const Walk& walk : points_) {
      text += fmt::format("[{}:{}-{}]", prng_.Below(2), walk.count, prng_.Range(1, 2));
    }
    return text + " : ";
  }

  std::string Text() {
    const std::string body = Body();
    std::vector<std::string> iterators, extents;
    for (const Walk& walk : points_) {
      iterators.push_back(walk.name);
      extents.push_back(walk.count);
    }
    std::string text = "parameter L=3, M=9, N=11, K=7, P=2;\n";
    text += fmt::format("iterator {};\n", fmt::join(iterators, ", "));
    arrays_.insert(arrays_.begin(), fmt::format("c[{}]", fmt::join(extents, ",")));
    names_.insert(names_.begin(), "c");
    names_.emplace_back("s");
    text += fmt::format("{} {}, s;\ncopyin {};\n", type_, fmt::join(arrays_, ", "),
                        fmt::join(names_, ", "));
    const std::string formals = fmt::format("{}", fmt::join(names_, ", "));
    text += fmt::format("stencil sum ({}) {{\n{}}}\n", formals, body);
    std::string end;
    for (const Walk& turn : turns_) {
      text += fmt::format("iterate {} : {} {{ ", turn.name, turn.count);
      end += " }";
    }
    return text + fmt::format("{}sum ({});{}\ncopyout c;\n", Domain(), formals, end);
  }

  Prng prng_;
  std::vector<Walk> points_, turns_;
  std::string type_;
  bool transposes_ = false;
  std::vector<std::string> elements_, arrays_, names_;
};

}  // namespace

TestProgram GenerateMatrixProgram(std::uint64_t seed) {
  return Generator(seed).Run();
}

plan::MatrixTile RandomMatrixShape(Prng* prng, const graph::Graph& graph,
                                   const plan::MatrixKernel& found, bool grid) {
  plan::MatrixTile tile;
  const std::size_t count = found.op->iterators.size();
  tile.depth = prng->Range(1, 9);
  for (std::size_t n = 0; n < count; ++n) {
    tile.points.push_back(prng->Range(1, 3));
    if (grid) tile.threads.push_back(prng->Range(1, 5));
    if (!grid) tile.tile.push_back(prng->Range(1, 9));
  }
  tile.vectors = !grid && prng->Percent(70) && lower::cpp::FitsPacks(graph, *found.op);
  return tile;
}

}  // namespace stencilgen::testing
