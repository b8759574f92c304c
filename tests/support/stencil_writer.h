#pragma once

#include <string>
#include <vector>

#include "support/expression_generator.h"

namespace stencilgen::testing {

/// A program-level array or, without dimensions, a scalar.
struct ProgramObject {
  std::string name;
  ScalarType type = ScalarType::Double;
  ElementFormat format = ElementFormat::Plain;
  std::vector<Dimension> dims;
  bool copy_in = true;
  bool constant = false;   ///< read-only
  bool has_value = false;  ///< may be read at the present place in the program
  bool written = false;
  bool reduced = false;  ///< a scalar that a reduction may be assigned to
};

/// What the whole program has in common.
struct World {
  std::vector<std::string> iterators, parameters;
  std::vector<ProgramObject> objects;
  bool discontinuous = false;
  std::vector<std::string> turns = {};  ///< of the loops around
  Prng* places = nullptr;               ///< as Scope has it
};

/// Something a stencil uses: through a formal, or directly by its program-level name.
struct Use {
  std::string name;  ///< in the body
  std::size_t object = 0;
  bool formal = true;
  bool inout = false;
  bool written = false;
  bool needs_value = false;  ///< read where the stencil has not written it yet
  bool reduced = false;      ///< a scalar that a reduction is assigned to
};

struct WrittenStencil {
  std::string name;
  std::vector<Use> uses;  ///< formals in their order, and direct uses
  std::vector<std::string> lines;
  std::vector<std::string> turns;  ///< that it may name
  int shift = 0;  ///< largest offset of a left side: what a call's domain must keep from the edges
};

/// `[0:N-1]`, one range an iterator, in one of the notations of the language; at least `margin`
/// points away from the edges.
std::string RandomDomain(Prng* prng, const World& world, int margin);

/// Writes one random stencil for the objects of the world that have values.
class StencilWriter {
 public:
  StencilWriter(Prng* prng, const World* world)
      : prng_(*prng), world_(*world), expressions_(prng) {}
  /// Requires: some array is not constant.
  WrittenStencil Write(const std::string& name);

 private:
  struct Local {
    std::string name;
    ScalarType type;
    std::vector<Dimension> dims;  ///< empty for a scalar
    bool uniform = false;
  };

  void ChooseUses();
  void AddUse(std::size_t object, bool written);
  Scope StatementScope(const std::vector<bool>& varies, int reach);
  std::vector<bool> AllVary() const {
    std::vector<bool> all(world_.iterators.size(), true);
    return all;
  }
  void WriteTarget(Use* use);
  void WriteLocalArray();
  void WritePointScalar();
  void WriteUniformScalar();
  void WriteProgramScalar();
  void WriteReduction();
  std::string Reduced(const Scope& scope, const std::string& element);
  void WritePlacement();
  std::string Target(const Use& use, std::vector<bool>* varies, int* shift);
  std::string Assign(const Scope& scope, const std::string& target, ScalarType type);
  /// A compound assignment, or one whose right side reads the target.
  std::string Update(const Scope& scope, const std::string& target, ScalarType type);
  std::string Value(const Scope& scope, ScalarType type, int depth);
  void MarkReads(const std::string& line);
  void Statement(const std::string& text, int margin);
  ScalarType FloatType();

  Prng& prng_;
  const World& world_;
  ExpressionGenerator expressions_;
  std::vector<Use> uses_;
  std::vector<Local> locals_;  // those that have a value
  std::vector<std::string> declarations_;
  std::vector<std::string> statements_;
  int next_local_ = 0;
  int shift_ = 0;
};

}  // namespace stencilgen::testing
