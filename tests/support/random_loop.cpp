#include "support/random_loop.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/face_call.h"
#include "support/prng.h"

namespace stencilgen::testing {
namespace {

constexpr const char* kIterators[] = {"k", "j", "i"};
constexpr const char* kParameters[] = {"L", "M", "N"};

/// A time loop of one to three statements on two or three arrays, some of which change places.
class RandomLoop {
 public:
  explicit RandomLoop(std::uint64_t seed)
      : prng_(seed),
        modes_(seed ^ 0x6d6f6465U),
        turn_(Prng(seed ^ 0x7475726eU).Percent(40)),
        stops_(seed ^ 0x756e7469U),
        faces_(seed ^ 0x66616365U) {
    const int rank = prng_.Range(1, 3);
    iterators_.assign(kIterators + 3 - rank, kIterators + 3);
    parameters_.assign(kParameters + 3 - rank, kParameters + 3);
    arrays_ = {"u", "v"};
    if (prng_.Percent(50)) arrays_.emplace_back("w");
  }

  TestProgram Program(std::uint64_t seed) {
    TestProgram program;
    program.name = fmt::format("band{}", seed);
    std::string text = fmt::format("parameter {}, T;\niterator {};\n", fmt::join(parameters_, ", "),
                                   fmt::join(iterators_, ", "));
    std::vector<std::string> declared;
    const std::string shape = fmt::format("[{}]", fmt::join(parameters_, ", "));
    for (const std::string& array : arrays_) declared.push_back(array + shape);
    text += fmt::format("double {}, c{};\ncopyin {}, c;\n", fmt::join(declared, ", "), shape,
                        fmt::join(arrays_, ", "));
    if (modes_.Percent(40)) text += ModesText();
    const int statements = prng_.Range(1, 3);
    std::string calls;
    for (int n = 0; n < statements; ++n) {
      text += StencilText(n);
      std::vector<std::string> arguments = arrays_;
      arguments.emplace_back("c");
      calls += fmt::format("  s{} ({});\n", n, fmt::join(arguments, ", "));
    }
    for (int n = faces_.Percent(35) ? faces_.Range(1, 3) : 0; n > 0; --n) {
      const FaceCall face =
          WriteFaceCall(&faces_, iterators_, parameters_, fmt::format("face{}", n),
                        faces_.Pick(arrays_), faces_.Pick(arrays_));
      text += face.stencil;
      calls += fmt::format("  {}\n", face.call);
    }
    if (prng_.Percent(50)) calls += fmt::format("  swap u, {};\n", prng_.Pick(arrays_));
    if (calls.find("swap u, u") != std::string::npos) calls.erase(calls.find("  swap"));
    if (turn_) {
      text += SourceText();
      calls += "  shot (u, h);\n";
      if (prng_.Percent(60)) {
        text += ReceiverText();
        calls += "  listen (r, u);\n";
      }
    }
    std::vector<std::string> outputs = arrays_;
    if (text.find("r[T") != std::string::npos) outputs.emplace_back("r");
    std::string until;
    if (!turn_ && stops_.Percent(35)) {
      text += fmt::format("double e;\nstencil measure (e, A) {{ e = max(abs({})); }}\n",
                          ElementText("A", iterators_, std::vector<int>(iterators_.size(), 0)));
      calls += fmt::format("  measure (e, {});\n", stops_.Pick(arrays_));
      if (stops_.Percent(50)) outputs.emplace_back("e");
      static const std::vector<std::string> kEvery = {"2", "3", "4", "7", "T"};
      until = fmt::format(" until e < {} every {}", stops_.Pick(std::vector<double>{0.0, 0.9, 1e3}),
                          stops_.Pick(kEvery));
    }
    text += fmt::format("iterate {}T{} {{\n{}}}\ncopyout {};\n", turn_ ? "t : " : "", until, calls,
                        fmt::join(outputs, ", "));
    program.text = text;
    for (int run = 0; run < 2; ++run) {
      std::map<std::string, std::int64_t> sizes = {{"T", prng_.Range(1, 9)}};
      for (const std::string& parameter : parameters_) {
        sizes[parameter] =
            prng_.Range(iterators_.size() == 3 ? 3 : 4, iterators_.size() == 1 ? 40 : 11);
      }
      program.sizes.push_back(std::move(sizes));
    }
    return program;
  }

 private:
  /// Boundary modes of all arrays, mostly around their ends.
  std::string ModesText() {
    std::string text;
    for (const std::string& array : arrays_) {
      std::vector<std::string> modes;
      for (std::size_t d = 0; d < iterators_.size(); ++d) {
        static const std::vector<std::string> kModes = {
            "wrap", "wrap", "wrap", "clamp", "mirror", "mirror101", "extrapolate", "none"};
        modes.push_back(modes_.Pick(kModes));
      }
      text += fmt::format("boundary {} = [{}];\n", array, fmt::join(modes, ", "));
    }
    return text;
  }

  /// A source: a few points take what a time series has for the turn. It may end before the loop.
  std::string SourceText() {
    std::vector<std::string> ranges;
    for (std::size_t d = 0; d < iterators_.size(); ++d) {
      const int first = prng_.Range(0, 2);
      ranges.push_back(fmt::format("{}:{}", first, first + prng_.Range(0, 1)));
    }
    const std::string length = prng_.Percent(60) ? "T" : std::to_string(prng_.Range(2, 8));
    const std::vector<int> here(iterators_.size(), 0);
    return fmt::format(
        "double h[{}];\ncopyin h;\nstencil shot (u, h) {{\n  [{}] : {} += h[t] - 0.25*t;\n}}\n",
        length, fmt::join(ranges, ", "), ElementText("u", iterators_, here));
  }

  /// What a row of the array is in each turn; its place is a number, or from the other end. The
  /// source may be at a fixed place too.
  std::string ReceiverText() {
    std::string shape = "[T", target = "[t]", row;
    const auto fixed = static_cast<std::size_t>(prng_.Below(static_cast<int>(iterators_.size())));
    for (std::size_t d = 0; d < iterators_.size(); ++d) {
      if (d == fixed) {
        row += prng_.Percent(50) ? fmt::format("[{}]", prng_.Range(0, 5))
                                 : fmt::format("[{}-{}]", parameters_[d], prng_.Range(1, 4));
        continue;
      }
      shape += ", " + parameters_[d];
      target += fmt::format("[{}]", iterators_[d]);
      row += fmt::format("[{}]", iterators_[d]);
    }
    std::string point;
    for (std::size_t d = 0; d < iterators_.size(); ++d) point += fmt::format("[{}]", d + 1);
    const std::string more = prng_.Percent(40) ? fmt::format("  u{} -= 0.5*h[t];\n", point) : "";
    return fmt::format(
        "double r{}];\ncopyin r;\nstencil listen (r, u) {{\n{}  r{} = u{} - 1.0;\n}}\n", shape,
        more, target, row);
  }

  std::string StencilText(int n) {
    const std::string& target = prng_.Pick(arrays_);
    // One-sided, asymmetric and symmetric reads.
    const int low = -prng_.Below(3);
    const int high = prng_.Below(3);
    std::vector<std::string> terms;
    for (int term = prng_.Range(2, 5); term > 0; --term) {
      const bool constant = prng_.Percent(15);
      std::vector<int> offsets;
      for (std::size_t d = 0; d < iterators_.size(); ++d) {
        offsets.push_back(prng_.Percent(40) ? 0 : prng_.Range(low, high));
      }
      terms.push_back(
          fmt::format("0.{}*{}", prng_.Range(1, 3),
                      ElementText(constant ? "c" : prng_.Pick(arrays_), iterators_, offsets)));
    }
    const std::vector<int> here(iterators_.size(), 0);
    if (turn_ && prng_.Percent(50)) terms.emplace_back("0.125*(t % 4)");
    const char* const op = prng_.Percent(25) ? "+=" : "=";
    return fmt::format("stencil s{} ({}, c) {{\n  {} {} {};\n}}\n", n, fmt::join(arrays_, ", "),
                       ElementText(target, iterators_, here), op, fmt::join(terms, " + "));
  }

  Prng prng_, modes_;
  bool turn_;   ///< statements name it
  Prng stops_;  ///< what ends the loop
  Prng faces_;  ///< statements on faces
  std::vector<std::string> iterators_, parameters_, arrays_;
};

}  // namespace

TestProgram RandomLoopProgram(std::uint64_t seed) {
  return RandomLoop(seed).Program(seed);
}

}  // namespace stencilgen::testing
