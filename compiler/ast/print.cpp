#include "ast/print.h"

#include <fmt/format.h>

#include "support/code_writer.h"
#include "support/match.h"

namespace stencilgen::ast {
namespace {

std::string_view ToString(ListKind kind) {
  switch (kind) {
    case ListKind::CopyIn:
      return "copyin";
    case ListKind::CopyOut:
      return "copyout";
    case ListKind::AllocIn:
      return "allocin";
    case ListKind::Constant:
      return "constant";
    case ListKind::Coefficient:
      return "coefficient";
  }
  return "?";
}

std::string_view ToString(PlacementKind kind) {
  switch (kind) {
    case PlacementKind::SharedMemory:
      return "shmem";
    case PlacementKind::GlobalMemory:
      return "gmem";
    case PlacementKind::NoSharedMemory:
      return "no-shmem";
  }
  return "?";
}

std::string_view ToString(BoundaryKind kind) {
  switch (kind) {
    case BoundaryKind::None:
      return "none";
    case BoundaryKind::Clamp:
      return "clamp";
    case BoundaryKind::Mirror:
      return "mirror";
    case ast::BoundaryKind::Mirror101:
      return "mirror101";
    case BoundaryKind::Extrapolate:
      return "extrapolate";
    case BoundaryKind::Wrap:
      return "wrap";
    case BoundaryKind::Constant:
      return "constant";
  }
  return "?";
}

/// The texts of a list's elements, with commas.
template <typename List, typename ToText>
std::string Join(const List& list, ToText to_text) {
  std::string text;
  for (const auto& element : list) {
    if (!text.empty()) text.append(", ");
    text.append(to_text(element));
  }
  return text;
}

std::string Names(const std::vector<Name>& names) {
  return Join(names, [](const Name& name) { return name.text; });
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string Run() {
    if (!program_.parameters.empty()) {
      writer_.Line("parameter {};", Join(program_.parameters, [&](const Parameter& parameter) {
                     return parameter.value
                                ? fmt::format("{}={}", parameter.name.text, Expr(*parameter.value))
                                : parameter.name.text;
                   }));
    }
    if (!program_.iterators.empty()) writer_.Line("iterator {};", Names(program_.iterators));
    for (const Declaration& declaration : program_.declarations) Item(declaration);
    // The usual place of `copyout` is the end; lists keep their order.
    std::size_t last_lists = program_.lists.size();
    while (last_lists > 0 && program_.lists[last_lists - 1].kind == ListKind::CopyOut) --last_lists;
    for (std::size_t i = 0; i < last_lists; ++i) List(program_.lists[i]);
    for (const BoundarySpec& boundary : program_.boundaries) Boundary(boundary);
    for (const UnrollSpec& unroll : program_.unrolls) Item(unroll);
    for (const Stencil& stencil : program_.stencils) Define(stencil);
    if (!program_.calls.empty()) Separate();
    Calls(program_.calls);
    if (last_lists < program_.lists.size()) Separate();
    for (std::size_t i = last_lists; i < program_.lists.size(); ++i) List(program_.lists[i]);
    return writer_.str();
  }

 private:
  std::string Expr(ExprId id) const { return PrintExpr(program_, id); }

  void Separate() {
    if (!writer_.str().empty()) writer_.Line();
  }

  void List(const NameList& list) {
    writer_.Line("{} {};", ToString(list.kind), Names(list.names));
  }

  void Boundary(const BoundarySpec& spec) {
    const std::string modes = Join(spec.modes, [&](const BoundaryMode& mode) {
      return mode.value ? fmt::format("{}({})", ToString(mode.kind), Expr(*mode.value))
                        : std::string(ToString(mode.kind));
    });
    writer_.Line("boundary {} = {};", spec.array.text,
                 spec.per_dimension ? fmt::format("[{}]", modes) : modes);
  }

  void Define(const Stencil& stencil) {
    Separate();
    const auto body = writer_.Block(
        "stencil {} ({})", stencil.name.text, Join(stencil.formals, [](const Formal& formal) {
          return fmt::format("{}{}", formal.inout ? "inout:" : "", formal.name.text);
        }));
    for (const StencilItem& item : stencil.items) {
      Match(item, [&](const auto& node) { Item(node); });
    }
  }

  void Item(const Declaration& declaration) {
    writer_.Line("{}{} {};", declaration.complex ? "complex " : "", ElementName(declaration),
                 Join(declaration.declarators, [&](const Declarator& declarator) {
                   std::string text = declarator.name.text;
                   for (const ExprId extent : declarator.extents) {
                     text.append(fmt::format("[{}]", PrintCompactExpr(program_, extent)));
                   }
                   if (declarator.init) text.append(fmt::format(" = {}", Expr(*declarator.init)));
                   return text;
                 }));
  }

  void Item(const Placement& placement) {
    writer_.Line("{} {};", ToString(placement.kind), Names(placement.names));
  }

  void Item(const UnrollSpec& spec) {
    writer_.Line("unroll {};", Join(spec.factors, [&](const UnrollFactor& factor) {
                   return fmt::format("{}={}", factor.iterator.text, Expr(factor.factor));
                 }));
  }

  void Item(const Assignment& assignment) {
    writer_.Line("{}{} {} {};", Domain(assignment.domain), Expr(assignment.target),
                 ToString(assignment.op), Expr(assignment.value));
  }

  void Item(const StencilCall& call) {
    writer_.Line("{}{} ({});", Domain(call.domain), call.stencil.text,
                 Join(call.actuals, [&](ExprId actual) { return Expr(actual); }));
  }

  void Item(const Swap& swap) { writer_.Line("swap {}, {};", swap.first.text, swap.second.text); }

  void Item(const Every& every) {
    const auto body = writer_.Block("every {} :", Expr(every.turns));
    Calls(every.body);
  }

  void Item(const Iterate& iterate) {
    const std::string turn = iterate.turn ? iterate.turn->text + " : " : "";
    const auto body =
        writer_.Block("iterate {}{}{}", turn, Expr(iterate.count), UntilText(iterate.until));
    Calls(iterate.body);
  }

  std::string UntilText(const std::optional<Until>& until) const {
    if (!until) return "";
    const std::string text = fmt::format(" until {}", Expr(until->condition));
    return until->every ? fmt::format("{} every {}", text, Expr(*until->every)) : text;
  }

  void Calls(const std::vector<CallItem>& calls) {
    for (const CallItem& item : calls) Match(item, [&](const auto& node) { Item(node); });
  }

  std::string Domain(const std::optional<DomainSpec>& domain) const {
    if (!domain) return "";
    std::string text;
    for (const Range& range : domain->ranges) {
      text.append(fmt::format("[{}:{}]", PrintCompactExpr(program_, range.lo),
                              PrintCompactExpr(program_, range.hi)));
    }
    return text.append(" : ");
  }

  const Program& program_;
  CodeWriter writer_;
};

}  // namespace

std::string Print(const Program& program) {
  return Printer(program).Run();
}

}  // namespace stencilgen::ast
