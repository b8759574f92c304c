#include "support/slow_value_generator.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/face_call.h"

namespace stencilgen::testing {
namespace {

class SlowValueWriter {
 public:
  explicit SlowValueWriter(Prng* prng) : prng_(*prng) {
    iterators_ = prng_.Percent(70) ? std::vector<std::string>{"j", "i"}
                                   : std::vector<std::string>{"k", "j", "i"};
    for (std::size_t n = 0; n < iterators_.size(); ++n) {
      parameters_.emplace_back(1, static_cast<char>('A' + n));
    }
  }

  TestProgram Run(int number) {
    ChooseValues();
    TestProgram program;
    program.name = fmt::format("slow_values_{}", number);
    program.text = Declarations();
    std::string calls;
    for (int s = 0; s < kStatements; ++s) {
      const bool again = s == 1;
      program.text += Stencil(fmt::format("f{}", s), again);
      calls += Call(s, again ? "w, v, x" : "v, u, x");
    }
    calls += "  swap u, w;\n";
    const bool loop = prng_.Percent(75);
    program.text += loop ? fmt::format("iterate T {{\n{}}}\n", calls) : calls;
    program.text += "copyout u, v, w;\n";
    for (int run = 0; run < 2; ++run) program.sizes.push_back(Sizes());
    program.lowest_input = 0;
    return program;
  }

 private:
  static constexpr int kStatements = 3;

  std::map<std::string, std::int64_t> Sizes() {
    std::map<std::string, std::int64_t> sizes = {{"T", prng_.Range(0, 5)}};
    for (const std::string& name : parameters_) sizes[name] = prng_.Range(5, 19);
    return sizes;
  }

  std::string Declarations() {
    const std::string shape = fmt::format("[{}]", fmt::join(parameters_, ","));
    std::string text = fmt::format("parameter {}, T;\niterator {};\n", fmt::join(parameters_, ", "),
                                   fmt::join(iterators_, ", "));
    text += fmt::format("double u{0}, v{0}, w{0}; {1} x{0}; double g;\n", shape,
                        prng_.Percent(30) ? "float" : "double");
    text += "copyin u, v, w, x, g;\n";
    static const std::vector<std::string> kModes = {
        "wrap", "wrap", "clamp", "mirror", "mirror101", "constant(0.5)", "extrapolate"};
    modes_ = prng_.Percent(50);
    if (!modes_) return text;
    const std::string mode = prng_.Pick(kModes);
    for (const char* name : {"u", "v", "w", "x"}) {
      std::vector<std::string> each;
      for (std::size_t n = 0; n < iterators_.size(); ++n) {
        each.push_back(prng_.Percent(85) ? mode : prng_.Pick(kModes));
      }
      text += fmt::format("boundary {} = [{}];\n", name, fmt::join(each, ", "));
    }
    return text;
  }

  /// What is computed at several places, with offsets of its own.
  void ChooseValues() {
    static const std::vector<std::string> kSlowForms = {
        "@0/(1.5 + @1)",       "sqrt(g + @0*@0)",         "exp(-@0)",
        "sqrt(@0/(0.5 + @1))", "1.0/(2.0 + @0 + @1)",     "(@0 - @1)/(1.0 + @0)",
        "0.5*@0*sin(@1)",      "max(@0, 0.1)/(@1 + 0.7)", "@0/sqrt(1.0 + @1*@1)"};
    for (int k = 0; k < 2; ++k) {
      forms_.push_back(prng_.Pick(kSlowForms));
      near_.emplace_back();
      for (std::size_t n = 0; n < iterators_.size(); ++n) {
        near_.back().push_back(prng_.Percent(75) ? 0 : prng_.Range(-1, 1));
      }
    }
  }

  /// One of the values, moved by at most one point.
  std::string Value(const std::string& array, const std::string& other) {
    const std::size_t k = prng_.Percent(60) ? 0 : 1;
    std::vector<int> first, second;
    for (std::size_t n = 0; n < iterators_.size(); ++n) {
      first.push_back(prng_.Percent(50) ? 0 : prng_.Range(-1, 1));
      second.push_back(first.back() + near_[k][n]);
    }
    std::string text = forms_[k];
    const auto replace = [&](const std::string& what, const std::string& by) {
      for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
        text.replace(at, what.size(), by);
      }
    };
    replace("@0", ElementText(array, iterators_, first));
    replace("@1", ElementText(other, iterators_, second));
    return text;
  }

  std::string Term(const std::string& array, const std::string& other) {
    const std::string value = Value(array, other);
    switch (prng_.Below(6)) {
      case 0:
        return fmt::format("({} > 0.6 ? {} : {})", value, Value(array, other), Value(array, other));
      case 1:
        return fmt::format("0.3*fabs(0.9 - ({}))", value);
      default:
        return fmt::format("0.2*({})", value);
    }
  }

  /// `again`: reads what an earlier statement wrote.
  std::string Stencil(const std::string& name, bool again) {
    std::string body;
    std::string sum = "0.1";
    for (int k = 0; k < prng_.Range(0, 2); ++k) {
      body += fmt::format("  double l{} = {};\n", k, Value("b", "c"));
      sum += fmt::format(" + 0.15*l{}", k);
    }
    for (int k = 0; k < prng_.Range(2, 4); ++k) sum += " + " + Term("b", "c");
    const std::string to = fmt::format("a[{}]", fmt::join(iterators_, "]["));
    return fmt::format("stencil {} (a, b, c, g) {{\n{}  {} = {}{};\n}}\n", name, body, to,
                       again && prng_.Percent(30) ? "0.5*" + to + " + " : "", sum);
  }

  std::string Call(int s, const std::string& arrays) {
    std::string domain;
    if (prng_.Percent(modes_ ? 15 : 40)) {
      std::vector<std::string> ranges;
      for (const std::string& size : parameters_) {
        const int from = prng_.Range(1, 2), to = prng_.Range(2, 3);
        ranges.push_back(prng_.Percent(12) ? "1:1" : fmt::format("{}:{}-{}", from, size, to));
      }
      domain = fmt::format("[{}] : ", fmt::join(ranges, ", "));
    }
    return fmt::format("  {}f{} ({}, g);\n", domain, s, arrays);
  }

  Prng& prng_;
  std::vector<std::string> iterators_, parameters_;
  std::vector<std::string> forms_;
  std::vector<std::vector<int>> near_;  // of each form's second element, from the first
  bool modes_ = false;
};

}  // namespace

TestProgram RandomSlowValues(Prng* prng, int number) {
  return SlowValueWriter(prng).Run(number);
}

}  // namespace stencilgen::testing
