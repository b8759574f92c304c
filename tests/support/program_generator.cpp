#include "support/program_generator.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/complex_loop.h"
#include "support/schedule_generator.h"
#include "support/stencil_writer.h"
#include "support/swap_loop.h"

namespace stencilgen::testing {
namespace {

class ProgramGenerator {
 public:
  ProgramGenerator(std::uint64_t seed, const GeneratorOptions& options)
      : prng_(seed),
        options_(options),
        swaps_(Prng(~seed).Percent(15)),
        turns_(Prng(seed ^ 0x7475726eU).Percent(30)),
        stops_(seed ^ 0x756e7469U),
        every_(seed ^ 0x65766572U),
        places_(seed ^ 0x706c6163U),
        narrow_(seed ^ 0x6e617272U),
        faces_(seed ^ 0x66616365U),
        complex_(seed ^ 0x636f6d70U),
        extrapolated_(seed ^ 0x65787472U) {
    if (places_.Percent(25)) world_.places = &places_;
  }

  TestProgram Generate() {
    rank_ = prng_.Pick(std::vector<int>{1, 2, 2, 2, 3, 3});
    const std::vector<std::string> iterators = {"k", "j", "i"}, parameters = {"L", "M", "N"};
    world_.iterators.assign(iterators.end() - rank_, iterators.end());
    world_.parameters.assign(parameters.end() - rank_, parameters.end());
    world_.discontinuous = prng_.Percent(30);
    MakeObjects();
    if (narrow_.Percent(25)) NarrowElements();
    if (swaps_) AddSwapLoop();
    calls_.push_back(NewCall());
    MakeCalls(&calls_, options_.size, 0, "");
    if (complex_.Percent(20)) {
      complex_loop_ = WriteComplexLoop(&complex_, world_);
      calls_.insert(calls_.end(), complex_loop_.lines.begin(), complex_loop_.lines.end());
    }
    return Finish();
  }

 private:
  void AddArray(const std::string& name, ScalarType type, std::vector<Dimension> dims,
                bool copy_in) {
    ProgramObject object;
    object.name = name;
    object.type = type;
    object.dims = std::move(dims);
    object.copy_in = copy_in;
    object.has_value = copy_in;
    world_.objects.push_back(std::move(object));
  }

  void AddSwapLoop() {
    if (turns_) world_.turns = {"t"};
    SwapLoop loop = WriteSwapLoop(&prng_, &faces_, &world_);
    swap_stencil_ = std::move(loop.stencil);
    calls_ = std::move(loop.lines);
    world_.turns.clear();
  }

  std::vector<Dimension> FullShape(int pad_chance) {
    std::vector<Dimension> dims;
    for (int it = 0; it < rank_; ++it) {
      dims.push_back({it, prng_.Percent(pad_chance) ? prng_.Range(1, 2) : 0, 0});
    }
    return dims;
  }

  void MakeObjects() {
    const ScalarType main = prng_.Percent(60) ? ScalarType::Double : ScalarType::Float;
    const ScalarType other = main == ScalarType::Double ? ScalarType::Float : ScalarType::Double;
    const bool mixed = prng_.Percent(20);
    const auto float_type = [&] { return mixed && prng_.Percent(40) ? other : main; };

    const std::vector<Dimension> shape = FullShape(5);
    AddArray("u0", main, shape, true);
    AddArray("u1", main, shape, prng_.Percent(80));
    for (int n = 2, count = prng_.Range(2, 4); n < count; ++n) {
      const ScalarType type = float_type();
      const std::vector<Dimension> dims = FullShape(8);
      AddArray(fmt::format("u{}", n), type, dims, prng_.Percent(75));
    }
    if (prng_.Percent(35)) AddArray("m0", ScalarType::Int, shape, true);
    if (prng_.Percent(20)) AddArray("m1", ScalarType::Int, FullShape(8), true);
    if (prng_.Percent(20)) AddArray("b0", ScalarType::Bool, FullShape(8), true);
    if (rank_ > 1 && prng_.Percent(40)) {
      std::vector<Dimension> dims = FullShape(8);
      dims.erase(dims.begin() + prng_.Below(rank_));
      const ScalarType type = float_type();
      AddArray("w0", type, dims, true);
    }
    if (rank_ > 1 && prng_.Percent(30)) {
      const ScalarType type = float_type();
      const Dimension dim = FullShape(8)[static_cast<std::size_t>(prng_.Below(rank_))];
      AddArray("w1", type, {dim}, true);
      world_.objects.back().constant = prng_.Percent(40);
    }
    if (prng_.Percent(30)) {
      std::vector<Dimension> dims;
      for (int n = prng_.Range(1, rank_); n > 0; --n) dims.push_back({-1, 0, prng_.Range(1, 4)});
      AddArray("q0", main, dims, true);
      world_.objects.back().constant = true;
    }
    for (int n = 0, count = prng_.Below(3); n < count; ++n) {
      AddArray(fmt::format("s{}", n), float_type(), {}, true);
      world_.objects.back().constant = prng_.Percent(30);
    }
    if (prng_.Percent(25)) AddArray("n0", ScalarType::Int, {}, true);
    if (turns_) MakeTimeSeries(main);
    if (places_.Percent(20)) {
      std::vector<Dimension> dims = shape;
      dims.insert(dims.begin(), {-1, 0, places_.Range(1, 3)});
      AddArray("v0", main, dims, true);
    }
  }

  /// Arrays of fewer bytes: the same for all of a type, which may be swapped. Rounding is a step
  /// that errors of the last bit may move.
  void NarrowElements() {
    const ElementFormat floats =
        narrow_.Percent(60) ? ElementFormat::Half : ElementFormat::BFloat16;
    const ElementFormat integers = narrow_.Pick(
        std::vector<ElementFormat>(kNarrowFormats.begin(), kNarrowFormats.begin() + 4));
    for (ProgramObject& object : world_.objects) {
      if (object.dims.empty()) continue;
      if (object.type == ScalarType::Int) object.format = integers;
      if (object.type == ScalarType::Float && world_.discontinuous) object.format = floats;
    }
  }

  /// What turns of loops index; shorter than some loops.
  void MakeTimeSeries(ScalarType type) {
    AddArray("h0", type, {{-1, 0, prng_.Range(1, 6)}}, true);
    if (rank_ == 1) return;
    const Dimension row = {prng_.Below(rank_), 0, 0};
    AddArray("h1", type, {{-1, 0, prng_.Range(1, 5)}, row}, true);
  }

  std::string CallText(const WrittenStencil& stencil, const std::vector<std::size_t>& actuals) {
    std::vector<std::string> names;
    for (const std::size_t actual : actuals) names.push_back(world_.objects[actual].name);
    const std::string domain =
        prng_.Percent(25) ? RandomDomain(&prng_, world_, stencil.shift) + " : " : "";
    return fmt::format("{}{} ({});", domain, stencil.name, fmt::join(names, ", "));
  }

  /// Notes what a call leaves behind.
  void Record(const WrittenStencil& stencil, const std::vector<std::size_t>& actuals) {
    std::size_t formal = 0;
    for (const Use& use : stencil.uses) {
      const std::size_t object = use.formal ? actuals[formal++] : use.object;
      if (!use.written) continue;
      world_.objects[object].written = true;
      if (use.reduced) world_.objects[object].reduced = true;
      world_.objects[object].has_value = true;
    }
  }

  /// A call of a new stencil, with the objects it was written for.
  std::string NewCall() {
    const std::string name = fmt::format("f{}", stencils_.size());
    WrittenStencil stencil = StencilWriter(&prng_, &world_).Write(name);
    std::vector<std::size_t> actuals;
    for (const Use& use : stencil.uses) {
      if (use.formal) actuals.push_back(use.object);
    }
    const std::string text = CallText(stencil, actuals);
    Record(stencil, actuals);
    stencils_.push_back(std::move(stencil));
    return text;
  }

  bool Fits(const Use& use, const ProgramObject& candidate) const {
    const ProgramObject& model = world_.objects[use.object];
    if (candidate.type != model.type || candidate.dims.size() != model.dims.size()) return false;
    if (use.written && candidate.constant) return false;
    if (!use.written && !candidate.has_value) return false;
    if (use.needs_value && !candidate.has_value) return false;
    for (std::size_t d = 0; d < model.dims.size(); ++d) {
      if (candidate.dims[d].iterator != model.dims[d].iterator) return false;
      // Constant indices were chosen for the model's extent.
      if (candidate.dims[d].extent < model.dims[d].extent) return false;
    }
    return true;
  }

  /// A call of a stencil that exists, with other actuals where some fit. Empty where a use has no
  /// value here.
  std::string OldCall() {
    const WrittenStencil& stencil = prng_.Pick(stencils_);
    if (stencil.turns.size() > world_.turns.size()) return "";
    std::vector<std::size_t> actuals;
    for (const Use& use : stencil.uses) {
      std::vector<std::size_t> fitting;
      for (std::size_t n = 0; n < world_.objects.size(); ++n) {
        if (use.formal ? Fits(use, world_.objects[n])
                       : n == use.object && Fits(use, world_.objects[n])) {
          fitting.push_back(n);
        }
      }
      if (fitting.empty()) return "";
      const std::size_t choice = prng_.Pick(fitting);
      if (use.formal) actuals.push_back(choice);
    }
    const std::string text = CallText(stencil, actuals);
    Record(stencil, actuals);
    return text;
  }

  std::string Swap() {
    const auto first =
        static_cast<std::size_t>(prng_.Below(static_cast<int>(world_.objects.size())));
    for (std::size_t n = 0; n < world_.objects.size(); ++n) {
      ProgramObject &a = world_.objects[first], &b = world_.objects[n];
      if (n == first || a.dims.empty() || a.constant || b.constant) continue;
      if (a.type != b.type || a.dims != b.dims || !a.has_value || !b.has_value) continue;
      a.written = b.written = true;
      return fmt::format("swap {}, {};", a.name, b.name);
    }
    return "";
  }

  void MakeCalls(std::vector<std::string>* lines, int count, int depth, const std::string& indent) {
    for (int n = 0; n < count; ++n) {
      const int choice = prng_.Below(100);
      std::string line;
      if (choice < 22 && depth < 2) {
        Loop(lines, depth, indent);
        continue;
      }
      if (choice < 32) line = Swap();
      if (line.empty() && choice < 60) line = OldCall();
      if (line.empty()) line = NewCall();
      lines->push_back(indent + line);
    }
  }

  void Loop(std::vector<std::string>* lines, int depth, const std::string& indent) {
    static const std::vector<std::string> kParameter = {"T", "(T)", "[T]"};
    const std::string count =
        prng_.Percent(60) ? prng_.Pick(kParameter) : fmt::format("{}", prng_.Range(0, 3));
    const bool named = turns_ && prng_.Percent(75);
    if (named) world_.turns.emplace_back(world_.turns.empty() ? "t" : "s");
    const std::string turn = named ? world_.turns.back() : "";
    const std::size_t head = lines->size();
    lines->emplace_back();
    // The loop may run zero times: what it writes has a value inside it only.
    std::vector<bool> had_value;
    for (const ProgramObject& object : world_.objects) had_value.push_back(object.has_value);
    MakeCalls(lines, prng_.Range(1, 2), depth + 1, indent + "  ");
    for (std::size_t n = 0; n < had_value.size(); ++n) {
      world_.objects[n].has_value = had_value[n];
    }
    const std::string until = Until(turn);
    lines->at(head) =
        fmt::format("{}iterate {}{}{} {{", indent, named ? turn + " : " : "", count, until);
    const std::string last = indent + "  ";
    if (until.empty() && lines->back() != last + "}" && every_.Percent(30)) {
      lines->back() = fmt::format("{}every {} : {}", last, every_.Range(1, 3),
                                  lines->back().substr(last.size()));
    }
    lines->push_back(indent + "}");
    if (named) world_.turns.pop_back();
  }

  /// Often nothing: what ends the loop, by scalars and its turn.
  std::string Until(const std::string& turn) {
    if (!stops_.Percent(50)) return "";
    std::vector<std::string> conditions;
    for (const ProgramObject& object : world_.objects) {
      if (!object.dims.empty() || !object.has_value) continue;
      // A rounding error may decide about the others.
      if (!world_.discontinuous && object.type != ScalarType::Int) continue;
      const std::string value = object.type == ScalarType::Int
                                    ? fmt::format("{}", stops_.Range(-2, 2))
                                    : fmt::format("{:.1f}", 0.1 * stops_.Range(-4, 4));
      conditions.push_back(
          fmt::format("{} {} {}", object.name, stops_.Percent(50) ? "<" : ">=", value));
    }
    if (!turn.empty()) conditions.push_back(fmt::format("{} > {}", turn, stops_.Below(3)));
    if (conditions.empty()) conditions.emplace_back("T > 1");
    std::string text = " until " + stops_.Pick(conditions);
    static const std::vector<std::string> kBoth = {"&&", "||"};
    if (stops_.Percent(30)) {
      text += fmt::format(" {} {}", stops_.Pick(kBoth), stops_.Pick(conditions));
    }
    static const std::vector<std::string> kEvery = {"1", "2", "(3)", "T", "[T+1]", "7"};
    return stops_.Percent(50) ? text : fmt::format("{} every {}", text, stops_.Pick(kEvery));
  }

  std::string Declarations() {
    std::string text;
    for (const ProgramObject& object : world_.objects) {
      std::vector<std::string> extents;
      for (const Dimension& dim : object.dims) {
        if (dim.iterator < 0) {
          extents.push_back(fmt::format("{}", dim.extent));
          continue;
        }
        const std::string& size = world_.parameters[static_cast<std::size_t>(dim.iterator)];
        extents.push_back(dim.pad == 0 ? size : fmt::format("{}+{}", size, dim.pad));
      }
      const std::string shape =
          extents.empty() ? ""
                          : fmt::format("[{}]", fmt::join(extents, prng_.Percent(50) ? "," : "]["));
      text += fmt::format("{} {}{};\n", ElementName(object), object.name, shape);
    }
    return text;
  }

  std::string Lists() {
    std::string text;
    for (const ProgramObject& object : world_.objects) {
      const char* list = object.copy_in ? "copyin" : "allocin";
      if (object.constant) list = object.dims.empty() ? "coefficient" : "constant";
      text += fmt::format("{} {};\n", list, object.name);
    }
    return text;
  }

  std::string Boundaries() {
    std::string text;
    for (const ProgramObject& object : world_.objects) {
      if (object.dims.empty() || object.dims[0].iterator < 0 || !prng_.Percent(20)) continue;
      std::vector<std::string> modes;
      for (std::size_t d = 0; d < object.dims.size(); ++d) {
        static const std::vector<std::string> kModes = {"clamp", "mirror", "mirror101", "wrap"};
        modes.push_back(prng_.Percent(75)         ? prng_.Pick(kModes)
                        : IsFloating(object.type) ? "constant(0.25)"
                                                  : "constant(1)");
      }
      // Along one dimension alone, so that values stay small.
      if (IsFloating(object.type) && extrapolated_.Percent(25)) modes[0] = "extrapolate";
      // Nothing is outside along another one.
      if (modes.size() > 1 && extrapolated_.Percent(20)) modes.back() = "none";
      const bool same = modes.size() == 1 || (prng_.Percent(60) && (modes[0] != "extrapolate"));
      text += same ? fmt::format("boundary {} = {};\n", object.name, modes[0])
                   : fmt::format("boundary {} = [{}];\n", object.name, fmt::join(modes, ", "));
    }
    return text;
  }

  std::string CopyOut() {
    std::string text, first;
    for (const ProgramObject& object : world_.objects) {
      if ((object.dims.empty() && !object.reduced) || !object.written) continue;
      if (first.empty()) first = object.name;
      if (prng_.Percent(70)) text += fmt::format("copyout {};\n", object.name);
    }
    return text.empty() ? fmt::format("copyout {};\n", first) : text;
  }

  void ChooseRuns(TestProgram* program) {
    static const std::vector<int> kSizes[] = {{1, 2, 3, 5, 8, 16, 31, 33, 64, 97, 127, 200},
                                              {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33},
                                              {1, 2, 3, 4, 5, 6, 7, 8, 9, 11}};
    for (int run = 0; run < 2; ++run) {
      std::map<std::string, std::int64_t> sizes;
      for (const std::string& name : world_.parameters) sizes[name] = prng_.Pick(kSizes[rank_ - 1]);
      // Enough for several time tiles where that is all a loop does.
      sizes["T"] = prng_.Range(1, swaps_ ? 9 : 3);
      program->sizes.push_back(std::move(sizes));
    }
    SetSchedule(program, RandomSchedule(&prng_, rank_));
  }

  TestProgram Finish() {
    std::string parameters = "parameter ";
    for (const std::string& name : world_.parameters) {
      const int value = prng_.Range(4, 40);
      parameters += prng_.Percent(50) ? fmt::format("{}={}, ", name, value) : name + ", ";
    }
    std::string stencils = swap_stencil_ + complex_loop_.stencils;
    for (const WrittenStencil& stencil : stencils_) {
      stencils += fmt::format("{}\n", fmt::join(stencil.lines, "\n"));
    }
    std::vector<std::string> sections = {
        parameters + "T=2;\n", fmt::format("iterator {};\n", fmt::join(world_.iterators, ", "))};
    sections.push_back(Declarations() + complex_loop_.declarations);
    sections.push_back(Lists() + complex_loop_.lists);
    sections.push_back(Boundaries() + complex_loop_.boundaries);
    sections.push_back(std::move(stencils));
    sections.push_back(fmt::format("{}\n", fmt::join(calls_, "\n")));
    sections.push_back(CopyOut() + complex_loop_.copy_out);
    if (prng_.Percent(20)) {
      for (int n = static_cast<int>(sections.size()) - 1; n > 0; --n) {
        std::swap(sections[static_cast<std::size_t>(n)],
                  sections[static_cast<std::size_t>(prng_.Below(n + 1))]);
      }
    }
    TestProgram program;
    for (const std::string& section : sections) program.text += section;
    program.continuous = !world_.discontinuous;
    ChooseRuns(&program);
    return program;
  }

  Prng prng_;
  GeneratorOptions options_;
  bool swaps_ = false;  ///< begins with a time loop that swaps arrays
  bool turns_ = false;  ///< loops name their turns
  Prng stops_;          ///< what ends loops
  Prng every_;          ///< what loops do every few turns
  Prng places_;         ///< indices that are values
  Prng narrow_;         ///< of elements' formats, so that other choices stay as they were
  Prng faces_;          ///< of statements on faces
  Prng complex_;        ///< of complex numbers, likewise
  Prng extrapolated_;   ///< of arrays that go on beyond an end in straight lines, likewise
  int rank_ = 2;
  World world_;
  std::vector<WrittenStencil> stencils_;
  std::vector<std::string> calls_;
  std::string swap_stencil_;
  ComplexLoop complex_loop_;
};

}  // namespace

TestProgram GenerateProgram(std::uint64_t seed, const GeneratorOptions& options) {
  TestProgram program = ProgramGenerator(seed, options).Generate();
  program.name = fmt::format("p{}", seed);
  return program;
}

}  // namespace stencilgen::testing
