#include "sema/complex_names.h"

#include "sema/messages.h"
#include "support/count_text.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view, std::string_view> kComplexClash{
    "type-clash", Severity::Error,
    "formal '{}' is bound to a complex value in another call but to the real '{}' here"};

constexpr DiagnosticKind<std::string_view> kComplexType{"complex-type", Severity::Error,
                                                        "there are no complex numbers of {}"};

/// The names that complex ones make: where each was declared.
std::map<std::string, ast::Name> PartsOf(const std::vector<ast::Declaration>& declarations) {
  std::map<std::string, ast::Name> parts;
  for (const ast::Declaration& declaration : declarations) {
    if (!declaration.complex) continue;
    for (const ast::Declarator& each : declaration.declarators) {
      parts.emplace(RealPart(each.name.text), each.name);
      parts.emplace(ImaginaryPart(each.name.text), each.name);
    }
  }
  return parts;
}

/// Of the program's own names none may be that of a part.
void CheckParts(const ast::Program& program, DiagnosticSink& sink) {
  const std::map<std::string, ast::Name> parts = PartsOf(program.declarations);
  for (const ast::Declaration& declaration : program.declarations) {
    for (const ast::Declarator& each : declaration.declarators) {
      const auto part = parts.find(each.name.text);
      if (part == parts.end()) continue;
      sink.Report(each.name.span, kRedeclared, each.name.text)
          .Note(part->second.span,
                fmt::format("it is a part of the complex `{}`", part->second.text));
    }
  }
}

}  // namespace

bool HasImaginary(const ast::Program& program, ast::ExprId root) {
  const auto has = [&](ast::ExprId id) { return HasImaginary(program, id); };
  return Match(
      program.exprs[root].node, [](const ast::FloatLiteral& n) { return n.imaginary; },
      [&](const ast::Unary& n) { return has(n.operand); },
      [&](const ast::Binary& n) { return has(n.rhs) || has(n.lhs); },
      [](const auto&) { return false; });
}

ComplexNames::ComplexNames(const ast::Program& program, DiagnosticSink& sink)
    : program_(program), sink_(sink) {
  for (const ast::Parameter& parameter : program.parameters) taken_.insert(parameter.name.text);
  for (const ast::Name& iterator : program.iterators) taken_.insert(iterator.text);
  for (const ast::Declaration& declaration : program.declarations) {
    Declare(declaration, program_names_);
    if (declaration.complex) continue;
    for (const ast::Declarator& each : declaration.declarators) real_names_.insert(each.name.text);
  }
  for (const ast::Stencil& stencil : program.stencils) {
    Formals formals{&stencil, std::vector<bool>(stencil.formals.size()),
                    std::vector<Span>(stencil.formals.size())};
    stencils_.try_emplace(stencil.name.text, std::move(formals));
    for (const ast::Formal& formal : stencil.formals) taken_.insert(formal.name.text);
    for (const ast::StencilItem& item : stencil.items) {
      std::set<std::string> locals;
      if (const auto* local = std::get_if<ast::Declaration>(&item)) Declare(*local, locals);
    }
  }
  CheckParts(program, sink);
  Collect(program.calls);
  for (const ast::StencilCall* call : calls_) Bind(*call);
  for (const ast::StencilCall* call : calls_) Check(*call);
}

void ComplexNames::Declare(const ast::Declaration& declaration, std::set<std::string>& names) {
  if (declaration.complex && !IsFloating(declaration.type)) {
    sink_.Report(declaration.span, kComplexType, ElementName(declaration))
        .Hint("they are pairs of double, float, or in arrays half or bfloat16");
  }
  for (const ast::Declarator& each : declaration.declarators) {
    taken_.insert(each.name.text);
    if (!declaration.complex) continue;
    names.insert(each.name.text);
    all_.insert(each.name.text);
  }
}

void ComplexNames::Collect(const std::vector<ast::CallItem>& items) {
  for (const ast::CallItem& item : items) {
    Match(
        item,
        [&](const ast::StencilCall& call) {
          calls_.push_back(&call);
          called_.insert(call.stencil.text);
        },
        [&](const ast::Swap&) {}, [&](const ast::Every& every) { Collect(every.body); },
        [&](const ast::Iterate& iterate) {
          if (iterate.turn) taken_.insert(iterate.turn->text);
          Collect(iterate.body);
        });
  }
}

bool ComplexNames::IsComplex(ast::ExprId actual) const {
  const auto* name = std::get_if<ast::NameRef>(&program_.exprs[actual].node);
  return name != nullptr ? program_names_.count(name->name) > 0 : HasImaginary(program_, actual);
}

bool ComplexNames::IsReal(ast::ExprId actual) const {
  const auto* name = std::get_if<ast::NameRef>(&program_.exprs[actual].node);
  return name != nullptr && real_names_.count(name->name) > 0;
}

void ComplexNames::Bind(const ast::StencilCall& call) {
  const auto found = stencils_.find(call.stencil.text);
  if (found == stencils_.end()) return;
  Formals& formals = found->second;
  if (formals.complex.size() != call.actuals.size()) {
    sink_
        .Report(call.span, kArgumentCount, call.stencil.text,
                CountText(formals.complex.size(), "argument"), call.actuals.size())
        .Note(formals.stencil->name.span, "defined here");
    return;
  }
  for (std::size_t k = 0; k < call.actuals.size(); ++k) {
    if (formals.complex[k] || !IsComplex(call.actuals[k])) continue;
    formals.complex[k] = true;
    formals.first[k] = program_.exprs[call.actuals[k]].span;
    all_.insert(formals.stencil->formals[k].name.text);
  }
}

void ComplexNames::Check(const ast::StencilCall& call) {
  const auto found = stencils_.find(call.stencil.text);
  if (found == stencils_.end()) return;
  const Formals& formals = found->second;
  for (std::size_t k = 0; k < call.actuals.size() && k < formals.complex.size(); ++k) {
    if (!formals.complex[k] || !IsReal(call.actuals[k])) continue;
    const ast::Expr& actual = program_.exprs[call.actuals[k]];
    sink_
        .Report(actual.span, kComplexClash, formals.stencil->formals[k].name.text,
                std::get<ast::NameRef>(actual.node).name)
        .Note(formals.first[k], "the other call");
  }
}

std::set<std::string> ComplexNames::OfStencil(const ast::Stencil& stencil) const {
  std::set<std::string> names = program_names_;
  const std::vector<bool>& complex = FormalsOf(stencil.name.text);
  for (std::size_t k = 0; k < stencil.formals.size(); ++k) {
    const std::string& name = stencil.formals[k].name.text;
    names.erase(name);
    if (k < complex.size() && complex[k]) names.insert(name);
  }
  for (const ast::StencilItem& item : stencil.items) {
    const auto* declaration = std::get_if<ast::Declaration>(&item);
    if (declaration == nullptr) continue;
    for (const ast::Declarator& each : declaration->declarators) {
      names.erase(each.name.text);
      if (declaration->complex) names.insert(each.name.text);
    }
  }
  return names;
}

const std::vector<bool>& ComplexNames::FormalsOf(const std::string& stencil) const {
  static const std::vector<bool> kNone;
  const auto found = stencils_.find(stencil);
  return found == stencils_.end() ? kNone : found->second.complex;
}

}  // namespace stencilgen::sema
