#include "support/complex_loop.h"

#include <fmt/format.h>

namespace stencilgen::testing {
namespace {

/// A value and a bound of its size.
struct Sized {
  std::string text;
  double bound = 1;
};

class Writer {
 public:
  Writer(Prng* prng, const World& world) : prng_(*prng), world_(world) {}

  ComplexLoop Write() {
    const std::string shape = fmt::format("[{}]", fmt::join(world_.parameters, ","));
    std::string type = prng_.Percent(50) ? "complex" : "complex double";
    single_ = prng_.Percent(40);
    if (single_) type = "complex float";
    const bool narrow = single_ && world_.discontinuous && prng_.Percent(40);
    const std::string elements = narrow ? "complex half" : type;
    ComplexLoop loop;
    loop.declarations = fmt::format("{} z0{}, z1{};\n{} zs, zt;\n{} zr{}, zn;\n", elements, shape,
                                    shape, type, single_ ? "float" : "double", shape);
    loop.lists = "copyin z0, z1, zs, zr, zt;\n";
    loop.boundaries = Boundaries();
    loop.stencils = Step(type, shape) + "stencil zmeasure (S, A) { S = " + Sum() + "; }\n";
    loop.lines.emplace_back("iterate T {");
    loop.lines.push_back(fmt::format("  {}zstep (z1, z0, {});", Domain(20),
                                     prng_.Percent(60) ? "zs" : "0.25 - 0.5i"));
    if (prng_.Percent(60)) loop.lines.emplace_back("  swap z0, z1;");
    if (prng_.Percent(30)) loop.lines.emplace_back("  zmeasure (zt, z0);");
    loop.lines.emplace_back("}");
    loop.lines.push_back(fmt::format("zn = norm2(z0{} + {});", Own(), Complex(1, "z0").text));
    if (prng_.Percent(50)) loop.lines.emplace_back("zmeasure (zt, z1);");
    loop.copy_out = "copyout z0, z1, zr, zn;\n";
    return loop;
  }

 private:
  std::string Boundaries() {
    static const std::vector<std::string> kModes = {"wrap", "clamp", "mirror", "constant(0.25i)",
                                                    "constant(-0.5 + 1i)"};
    return prng_.Percent(50) ? fmt::format("boundary z0 = {};\n", prng_.Pick(kModes)) : "";
  }

  std::string Domain(int percent) {
    return prng_.Percent(percent) ? RandomDomain(&prng_, world_, 1) + " : " : "";
  }

  std::string Own() const { return fmt::format("[{}]", fmt::join(world_.iterators, "][")); }

  std::string Step(const std::string& type, const std::string& shape) {
    in_step_ = true;
    std::string text = "stencil zstep (B, A, w) {\n";
    const auto line = [&](const std::string& statement) { text += "  " + statement + "\n"; };
    line(fmt::format("{} h = {};", type, Complex(2, "A").text));
    locals_ = {"h"};
    if (prng_.Percent(40)) {
      line(fmt::format("{} t{};", type, shape));
      line(fmt::format("{}t{} = {};", Domain(20), Own(), Complex(2, "A").text));
      line(fmt::format("{} g = {}*t{};", type, Fraction(), Offset(1)));
      locals_.emplace_back("g");
    }
    if (prng_.Percent(40)) line(fmt::format("h = {};", Complex(2, "A").text));
    line(fmt::format("{}B{} = {};", Domain(20), Own(), Complex(3, "A").text));
    for (int n = prng_.Below(3); n > 0; --n) line(Domain(20) + Update());
    if (prng_.Percent(50)) {
      line(fmt::format("zr{} = {};", Own(), Real(2, "A").text));
    }
    in_step_ = false;
    return text + "}\n";
  }

  std::string Update() {
    const std::string target = "B" + Own();
    switch (prng_.Below(5)) {
      case 0:
        return fmt::format("{} *= exp({}i*{});", target, Fraction(), Real(1, "A").text);
      case 1:
        return fmt::format("{} /= 1.5 + abs2({});", target, Complex(1, "A").text);
      case 2:
        return fmt::format("{} *= {};", target, Complex(1, "A").text);
      case 3:
        return fmt::format("{} = {}*B{} + 0.5*conj({});", target, Fraction() + "i", Own(), target);
      default:
        return fmt::format("{} -= 0.3*({});", target, Complex(1, "B").text);
    }
  }

  std::string Sum() {
    return fmt::format("{}sum(0.01*A{}*{})", prng_.Percent(40) ? "0.5i*" : "", Own(),
                       Complex(1, "A").text);
  }

  std::string Fraction() { return fmt::format("0.{:02}", prng_.Range(10, 90)); }

  std::string Offset(int reach) {
    std::vector<std::string> indices;
    for (const std::string& iterator : world_.iterators) {
      const int offset = prng_.Percent(60) ? 0 : prng_.Range(-reach, reach);
      indices.push_back(offset == 0 ? iterator : fmt::format("{}{:+}", iterator, offset));
    }
    return fmt::format("[{}]", fmt::join(indices, "]["));
  }

  /// At most 1.5 in size.
  Sized Within(Sized value) {
    if (value.bound <= 1.5) return {"(" + value.text + ")", value.bound};
    return {fmt::format("({:.4f}*({}))", 1.5 / value.bound, value.text), 1.5};
  }

  Sized Leaf(const std::string& array) {
    switch (prng_.Below(8)) {
      case 0:
        return {Fraction()};
      case 1:
        return {Fraction() + (single_ && prng_.Percent(30) ? "fi" : "i")};
      case 2:
        if (in_step_ && array == "A") return {"w", 2};
        break;
      case 3:
        if (in_step_ && !locals_.empty()) return {prng_.Pick(locals_), 2};
        break;
      default:
        break;
    }
    return {array + Offset(1), 2};
  }

  Sized Complex(int depth, const std::string& array) { return Within(Operation(depth, array)); }

  Sized Operation(int depth, const std::string& array) {
    if (depth == 0) return Leaf(array);
    const Sized a = Complex(depth - 1, array);
    const Sized b = Complex(depth - 1, array);
    switch (prng_.Below(13)) {
      case 0:
      case 1:
        return {fmt::format("{} + {}", a.text, b.text), a.bound + b.bound};
      case 2:
        return {fmt::format("{} - {}", a.text, b.text), a.bound + b.bound};
      case 3:
      case 4:
        return {fmt::format("{}*{}", a.text, b.text), a.bound * b.bound};
      case 5:
        return {fmt::format("{}/(3.0 + 1i + {})", a.text, b.text), a.bound};
      case 6:
        return {fmt::format("{}/({}i + {}i)", a.text, Fraction(), "1.5"), a.bound};
      case 7:
        return {fmt::format("-conj({})*{}i", a.text, Fraction()), a.bound};
      case 8:
        return {fmt::format("{}^{}", a.text, prng_.Range(2, 4)), 5.1};
      case 9:
        return {
            fmt::format("exp({}i*{} - {})", Fraction(), Real(depth - 1, array).text, Fraction())};
      case 10:
        return {
            fmt::format("({} % 3 == 0 ? {} : {})", prng_.Pick(world_.iterators), a.text, b.text),
            1.5};
      case 11:
        if (!world_.discontinuous) break;
        return {fmt::format("({} {} {} ? {} : {})", a.text, prng_.Percent(50) ? "==" : "!=", b.text,
                            a.text, Fraction() + "i"),
                1.5};
      default:
        break;
    }
    return {fmt::format("{}*{}", Real(depth - 1, array).text, a.text), 1.5 * a.bound};
  }

  Sized Real(int depth, const std::string& array) {
    const Sized z = Complex(depth, array);
    switch (prng_.Below(5)) {
      case 0:
        return {fmt::format("imag({})", z.text), z.bound};
      case 1:
        return {fmt::format("abs({})", z.text), z.bound};
      case 2:
        return Within({fmt::format("abs2({})", z.text), z.bound * z.bound});
      case 3:
        return {fmt::format("0.4*arg(abs2({}) + 1.0 + {}i)", z.text, Fraction())};
      default:
        return {fmt::format("real({})", z.text), z.bound};
    }
  }

  Prng& prng_;
  const World& world_;
  std::vector<std::string> locals_;
  bool single_ = false;
  bool in_step_ = false;  ///< its locals and formals may be read
};

}  // namespace

ComplexLoop WriteComplexLoop(Prng* prng, const World& world) {
  return Writer(prng, world).Write();
}

}  // namespace stencilgen::testing
