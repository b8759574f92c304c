#include "support/swap_loop.h"

#include <fmt/format.h>

#include "support/face_call.h"

namespace stencilgen::testing {
namespace {

/// The time levels of a field, by name: what is read, what is made, and, with three, what was.
struct Field {
  std::string now, next, past;
};

class SwapLoopWriter {
 public:
  SwapLoopWriter(Prng* prng, Prng* faces, World* world)
      : prng_(*prng), faces_(*faces), world_(*world) {}

  SwapLoop Write() {
    const ScalarType type = prng_.Percent(60) ? ScalarType::Double : ScalarType::Float;
    for (int n = 0, count = prng_.Range(1, 2); n < count; ++n) AddField(n, type);
    SwapLoop loop;
    loop.stencil = Stencil() + Faces();
    loop.lines = Loop();
    return loop;
  }

 private:
  void AddField(int number, ScalarType type) {
    Field field{fmt::format("y{}", number), fmt::format("y{}_next", number), ""};
    if (prng_.Percent(35)) field.past = fmt::format("y{}_past", number);
    for (const std::string& name : {field.now, field.next, field.past}) {
      if (name.empty()) continue;
      ProgramObject object;
      object.name = name;
      object.type = type;
      for (int it = 0; it < Rank(); ++it) object.dims.push_back({it, 0, 0});
      object.copy_in = name != field.next || prng_.Percent(85);
      object.has_value = object.copy_in;
      object.written = true;
      world_.objects.push_back(std::move(object));
    }
    fields_.push_back(std::move(field));
  }

  int Rank() const { return static_cast<int>(world_.iterators.size()); }

  std::string Element(const std::string& name, bool own_point) {
    std::string text = name;
    for (const std::string& iterator : world_.iterators) {
      const int offset = own_point ? 0 : prng_.Range(-1, 1);
      text +=
          offset == 0 ? fmt::format("[{}]", iterator) : fmt::format("[{}{:+}]", iterator, offset);
    }
    return text;
  }

  /// Values stay of the order of 1: what past and other fields add is small.
  std::string Stencil() {
    std::string formals;
    std::string body;
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      const std::string n = std::to_string(k);
      formals += fmt::format("{}B{}, A{}", k > 0 ? ", " : "", n, n);
      if (!fields_[k].past.empty()) formals += fmt::format(", P{}", n);
      body += fmt::format("  {} = 0.375*{} + 0.25*{} + 0.125*{}", Element("B" + n, true),
                          Element("A" + n, false), Element("A" + n, false), Element("A" + n, true));
      if (!fields_[k].past.empty()) body += fmt::format(" - 0.125*{}", Element("P" + n, true));
      // The other field as it was, or as this step makes it.
      if (k > 0)
        body += fmt::format(" + 0.125*{}", Element(prng_.Percent(50) ? "A0" : "B0", false));
      if (!world_.turns.empty()) body += TurnText();
      body += ";\n";
    }
    return fmt::format("stencil leap ({}) {{\n{}}}\n", formals, body);
  }

  /// A few depend on time series that may be shorter than the loop.
  std::string TurnText() { return prng_.Percent(40) ? " + 0.0625*h0[t]" : " + 0.03125*(t % 3)"; }

  /// Statements on faces of what the step has made.
  std::string Faces() {
    std::string stencils;
    for (int n = faces_.Percent(35) ? faces_.Range(1, 3) : 0; n > 0; --n) {
      const Field& field = faces_.Pick(fields_);
      FaceCall face =
          WriteFaceCall(&faces_, world_.iterators, world_.parameters, fmt::format("face{}", n),
                        field.next, faces_.Percent(50) ? field.next : field.now);
      stencils += face.stencil;
      face_calls_.push_back(std::move(face.call));
    }
    return stencils;
  }

  std::string Call() {
    std::string actuals;
    for (const Field& field : fields_) {
      actuals += fmt::format("{}{}, {}", actuals.empty() ? "" : ", ", field.next, field.now);
      if (!field.past.empty()) actuals += ", " + field.past;
    }
    const std::string domain = prng_.Percent(20) ? RandomDomain(&prng_, world_, 0) + " : " : "";
    return fmt::format("  {}leap ({});", domain, actuals);
  }

  std::vector<std::string> Loop() {
    const std::string count = prng_.Percent(60) ? "T" : std::to_string(prng_.Range(0, 9));
    const std::string turn = world_.turns.empty() ? "" : "t : ";
    std::vector<std::string> lines = {fmt::format("iterate {}{} {{", turn, count), Call()};
    for (std::string& call : face_calls_) lines.push_back("  " + std::move(call));
    for (const Field& field : fields_) {
      if (!field.past.empty())
        lines.push_back(fmt::format("  swap {}, {};", field.past, field.now));
      lines.push_back(fmt::format("  swap {}, {};", field.now, field.next));
    }
    lines.emplace_back("}");
    return lines;
  }

  Prng& prng_;
  Prng& faces_;
  World& world_;
  std::vector<Field> fields_;
  std::vector<std::string> face_calls_;
};

}  // namespace

SwapLoop WriteSwapLoop(Prng* prng, Prng* faces, World* world) {
  return SwapLoopWriter(prng, faces, world).Write();
}

}  // namespace stencilgen::testing
