#include "support/multigrid_generator.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/prng.h"

namespace stencilgen::testing {

namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed)
      : prng_(seed), rank_(prng_.Range(1, 2)), periodic_(prng_.Percent(20)) {}

  TestProgram Run(std::uint64_t seed) {
    MakeArrays();
    std::string calls;
    const int count = prng_.Range(1, 4);
    for (int n = 0; n < count; ++n) calls += Calls(prng_.Percent(50));
    std::vector<std::string> names;
    for (const Array& array : arrays_) names.push_back(array.name);
    TestProgram program;
    program.name = fmt::format("multigrid_{}", seed);
    program.text = fmt::format(
        "parameter N, T;\niterator {};\n{}\ndouble sum_of;\n{}copyin {};\n\n{}\n{}\ncopyout {};\n",
        rank_ == 1 ? "i" : "j, i", declarations_, boundaries_, fmt::join(names, ", "), stencils_,
        calls, fmt::join(names, ", "));
    program.sizes = {{{"N", prng_.Range(7, 12)}, {"T", prng_.Range(1, 4)}},
                     {{"N", prng_.Range(3, 6)}, {"T", prng_.Range(0, 3)}}};
    return program;
  }

 private:
  struct Array {
    std::string name;
    int scale = 1;
  };

  void MakeArrays() {
    static const std::vector<std::vector<int>> kFamilies = {
        {1, 2}, {1, 2, 4}, {1, 3}, {2, 3, 6, 1}};
    const std::vector<int>& scales = prng_.Pick(kFamilies);
    static const std::vector<std::string> kModes = {"clamp", "mirror", "mirror101",
                                                    "constant(0.5)"};
    for (int n = 0; n < 5; ++n) {
      // Two of the first scale, so that there is something to swap.
      const int scale = n < 2 ? scales[0] : prng_.Pick(scales);
      const std::string name(1, static_cast<char>('a' + n));
      // All of one scale have the same size.
      while (static_cast<int>(more_.size()) <= scale) {
        more_.push_back(periodic_ ? 0 : prng_.Range(-1, 2));
      }
      const int more = more_[static_cast<std::size_t>(scale)];
      const std::string extent = fmt::format("{}*N{:+}", scale, more);
      declarations_ += fmt::format("double {}[{}];\n", name,
                                   rank_ == 1 ? extent : fmt::format("{0},{0}", extent));
      if (periodic_) boundaries_ += fmt::format("boundary {} = wrap;\n", name);
      if (!periodic_ && prng_.Percent(30)) {
        boundaries_ += fmt::format("boundary {} = {};\n", name, prng_.Pick(kModes));
      }
      arrays_.push_back({name, scale});
    }
  }

  std::string Place(const std::vector<std::string>& places) const {
    std::string text;
    for (const std::string& place : places) text += fmt::format("[{}]", place);
    return text;
  }
  std::string Along(int factor, int axis, int offset) const {
    const char* const iterator = rank_ == 1 || axis == 1 ? "i" : "j";
    return fmt::format("{}*{}{:+}", factor, iterator, offset);
  }

  /// An element that a statement reads whose iterators are of that scale.
  std::string Read(int scale, int first_place) {
    std::vector<Array> fitting;
    for (const Array& array : arrays_) {
      if (array.scale % scale == 0) fitting.push_back(array);
    }
    const Array& array = prng_.Pick(fitting);
    const int factor = array.scale / scale;
    std::vector<std::string> places;
    for (int axis = 0; axis < rank_; ++axis) {
      const int offset = prng_.Range(-2, 1 + factor);
      places.push_back(axis == 0 && first_place >= 0
                           ? fmt::format("{}", first_place * factor + prng_.Below(2))
                           : Along(factor, axis, offset));
    }
    return array.name + Place(places);
  }

  /// `name` with one statement or more, and its call.
  std::string Calls(bool loops) {
    const std::string name = fmt::format("f{}", ++stencils_made_);
    std::string body;
    const int statements = prng_.Range(1, 3);
    for (int n = 0; n < statements; ++n) body += Statement();
    if (prng_.Percent(25)) {
      const Array& array = prng_.Pick(arrays_);
      const std::vector<std::string> plain =
          rank_ == 1 ? std::vector<std::string>{"i"} : std::vector<std::string>{"j", "i"};
      body = fmt::format("  sum_of = sum(0.01*{}{});\n", array.name, Place(plain)) + body;
      body += fmt::format("  {0}{1} = 0.9*{0}{1} + 0.01*sum_of;\n", array.name, Place(plain));
    }
    std::vector<std::string> names;
    for (const Array& array : arrays_) names.push_back(array.name);
    const std::string formals = fmt::format("{}, sum_of", fmt::join(names, ", "));
    stencils_ += fmt::format("stencil {} ({}) {{\n{}}}\n", name, formals, body);
    const std::string call = fmt::format("{} ({});", name, formals);
    if (!loops) return call + "\n";
    return fmt::format("iterate T {{ {}{} }}\n", call, prng_.Percent(40) ? " swap a, b;" : "");
  }

  std::string Statement() {
    const Array& target = prng_.Pick(arrays_);
    std::vector<int> factors;
    for (int factor = 1; factor <= target.scale; ++factor) {
      if (target.scale % factor == 0) factors.push_back(factor);
    }
    const int factor = prng_.Pick(factors);
    const int scale = target.scale / factor;
    // One place along the first axis; of a single one no iterator would be left.
    const int place = rank_ > 1 && !periodic_ && prng_.Percent(15) ? prng_.Below(3) : -1;
    std::vector<std::string> places;
    for (int axis = 0; axis < rank_; ++axis) {
      const int offset = periodic_ || prng_.Percent(85) ? prng_.Below(factor) : prng_.Range(-2, 4);
      places.push_back(axis == 0 && place >= 0 ? fmt::format("{}", place * factor)
                                               : Along(factor, axis, offset));
    }
    std::string value = fmt::format("0.3*{}", Read(scale, place));
    const int reads = prng_.Range(0, 3);
    for (int n = 0; n < reads; ++n) {
      value += fmt::format(" + 0.{}*{}", prng_.Range(1, 3), Read(scale, place));
    }
    if (prng_.Percent(20)) value += " + 0.001*i";
    return fmt::format("  {}{} = {};\n", target.name, Place(places), value);
  }

  Prng prng_;
  const int rank_;
  const bool periodic_;
  std::vector<Array> arrays_;
  std::vector<int> more_;  // by scale: elements beside multiples of N
  int stencils_made_ = 0;
  std::string declarations_, boundaries_, stencils_;
};

}  // namespace

TestProgram GenerateMultigridProgram(std::uint64_t seed) {
  return Generator(seed).Run(seed);
}

}  // namespace stencilgen::testing
