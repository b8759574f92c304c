#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sema/context.h"

namespace stencilgen::sema {

/// A local array or scalar of a stencil.
struct Local {
  const ast::Declarator* declarator = nullptr;
  ScalarType type = ScalarType::Double;
  ElementFormat format = ElementFormat::Plain;
  bool inferred = false;  ///< see ast::Declaration
  bool IsArray() const { return !declarator->extents.empty(); }
};

/// A statement in uniform shape; `double c = e;` becomes one without domain.
struct BodyStatement {
  const ast::DomainSpec* domain = nullptr;
  ast::Name target;
  std::vector<ast::ExprId> indices;  ///< empty: the target has no index
  AssignOp op = AssignOp::Assign;
  ast::ExprId value;
  Span span;
  bool with_next = false;  ///< see ast::Assignment
};

/// A stencil's names, resolved as far as they can be without a call.
struct StencilInfo {
  const ast::Stencil* ast = nullptr;
  bool ok = true;  ///< no error was found; only then may it be called
  bool called = false;
  std::unordered_map<std::string, int> formals;
  std::unordered_map<std::string, int> locals_by_name;
  std::vector<Local> locals;
  std::vector<BodyStatement> statements;
  std::vector<bool> formal_written;          ///< by formal
  std::vector<std::string> globals_written;  ///< program-level names assigned directly, unique

  /// What the formals were bound to in the first call; later calls must agree.
  struct Binding {
    ScalarType type;
    std::size_t rank;
    Span span;
  };
  std::vector<std::optional<Binding>> bindings;
};

/// Checks everything in a stencil that does not depend on a call: names, functions and their arity,
/// assignments to what cannot be assigned, placement lists, calls inside it.
/// Requires: DeclareProgram has run.
StencilInfo CheckStencil(Context& context, const ast::Stencil& stencil);

/// Whether the library has the function with so many arguments; else reports `unknown-function` or
/// `wrong-arity`.
bool RequireFunction(Context& context, const ast::Call& call);

/// Reports `recursion` for stencils that call themselves, directly or through others, and
/// `call-in-stencil` for every other call inside a stencil.
void CheckCallsInStencils(Context& context);

}  // namespace stencilgen::sema
