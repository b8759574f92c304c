#include "sema/expand_complex.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "sema/complex_expr.h"
#include "sema/complex_names.h"
#include "sema/messages.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view> kComplexToReal{
    "complex-to-real", Severity::Error, "'{}' is real, it cannot take a complex value"};
constexpr std::string_view kUpdateHint = "it is for whole numbers";
constexpr DiagnosticKind<std::string_view> kComplexUpdate{"complex-operand", Severity::Error,
                                                          "'{}' takes no complex numbers"};

/// Statements of a stencil's body, while they are taken apart.
class BodyExpander {
 public:
  BodyExpander(ast::Program& program, ComplexExprs& exprs, const std::set<std::string>& complex,
               std::set<std::string> taken, DiagnosticSink& sink)
      : program_(program), exprs_(exprs), complex_(complex), taken_(std::move(taken)), sink_(sink) {
    exprs_.Enter(&complex_, [this](const Parts& z, Span span) { return Keep(z, span); });
  }

  std::vector<ast::StencilItem> Run(const std::vector<ast::StencilItem>& items) {
    for (const ast::StencilItem& item : items) {
      Match(
          item, [&](const ast::Declaration& node) { Expand(node); },
          [&](const ast::Placement& node) { Expand(node); },
          [&](const ast::Assignment& node) { Expand(node); },
          [&](const auto& node) { items_.emplace_back(node); });
    }
    return std::move(items_);
  }

 private:
  /// Local scalars, of the type of their values, that the next statements read.
  Parts Keep(const Parts& z, Span span) {
    std::string name;
    do {
      name = fmt::format("z{}", ++kept_);
    } while (!taken_.insert(name).second || taken_.count(RealPart(name)) > 0 ||
             taken_.count(ImaginaryPart(name)) > 0);
    ast::Declaration declaration;
    declaration.inferred = true;
    declaration.span = span;
    declaration.declarators = {{{RealPart(name), span}, {}, {}},
                               {{ImaginaryPart(name), span}, {}, {}}};
    items_.emplace_back(std::move(declaration));
    AssignBoth(Target(name, {}, span), AssignOp::Assign, z, span);
    return Target(name, {}, span);
  }

  Parts Target(const std::string& name, const std::vector<ast::ExprId>& indices, Span span) {
    const auto part = [&](std::string text) {
      if (indices.empty()) return program_.exprs.Add({ast::NameRef{std::move(text)}, span});
      return program_.exprs.Add({ast::Access{{std::move(text), span}, indices}, span});
    };
    const ast::ExprId re = part(RealPart(name));
    return {re, part(ImaginaryPart(name))};
  }

  void AssignPart(ast::ExprId target, AssignOp op, ast::ExprId value, Span span,
                  bool with_next = false) {
    ast::Assignment part;
    part.domain = domain_;
    part.target = target;
    part.op = op;
    part.value = value;
    part.span = span;
    part.with_next = with_next;
    items_.emplace_back(std::move(part));
  }

  void AssignBoth(const Parts& target, AssignOp op, const Parts& value, Span span) {
    AssignPart(*target.re, op, exprs_.RealOf(value, span), span, true);
    AssignPart(*target.im, op, exprs_.ImaginaryOf(value, span), span);
  }

  void Assign(const Parts& target, AssignOp op, const Parts& value, Span span) {
    switch (op) {
      case AssignOp::Assign:
        return AssignBoth(target, op, value, span);
      case AssignOp::Add:
      case AssignOp::Sub:
        if (value.HasBoth()) return AssignBoth(target, op, value, span);
        if (value.re) return AssignPart(*target.re, op, *value.re, span);
        return AssignPart(*target.im, op, *value.im, span);
      case AssignOp::Mul:
      case AssignOp::Div:
        if (!value.im) return AssignBoth(target, op, {value.re, value.re}, span);
        return AssignBoth(target, AssignOp::Assign,
                          op == AssignOp::Mul ? exprs_.Product(target, value, span)
                                              : exprs_.Quotient(target, value, span),
                          span);
      case AssignOp::And:
      case AssignOp::Or:
        break;
    }
    sink_.Report(span, kComplexUpdate, ToString(op)).Hint(std::string(kUpdateHint));
  }

  void Expand(const ast::Assignment& assignment) {
    domain_ = assignment.domain;
    const ast::Expr target = program_.exprs[assignment.target];
    const auto* access = std::get_if<ast::Access>(&target.node);
    const auto* reference = std::get_if<ast::NameRef>(&target.node);
    const std::string name = access != nullptr ? access->name.text : reference->name;
    std::vector<ast::ExprId> indices;
    if (access != nullptr) indices = exprs_.RealIndices(access->indices);
    const Parts value = exprs_.Build(assignment.value);
    if (complex_.count(name) > 0) {
      Assign(Target(name, indices, target.span), assignment.op, value, assignment.span);
    } else if (value.IsComplex()) {
      ReportReal(name, assignment.value);
    } else {
      ast::Assignment real = assignment;
      real.value = *value.re;
      items_.emplace_back(std::move(real));
    }
    domain_.reset();
  }

  void ReportReal(const std::string& name, ast::ExprId value) {
    sink_.Report(program_.exprs[value].span, kComplexToReal, name)
        .Hint("declare it `complex`, or assign real(z), imag(z) or abs(z)");
  }

  /// One declaration a name, since values before it may need scalars of their own.
  void Expand(const ast::Declaration& declaration) {
    for (const ast::Declarator& each : declaration.declarators) {
      ast::Declaration one = declaration;
      one.complex = false;
      const bool scalar = each.extents.empty();
      const Parts value = each.init && scalar ? exprs_.Build(*each.init) : Parts{};
      if (!declaration.complex) {
        one.declarators = {each};
        if (value.IsComplex()) {
          ReportReal(each.name.text, *each.init);
        } else if (value.re) {
          one.declarators.front().init = value.re;
        }
        items_.emplace_back(std::move(one));
        continue;
      }
      const auto init = scalar ? std::nullopt : each.init;
      const Span span = each.name.span;
      one.declarators = {{{RealPart(each.name.text), span}, each.extents, init},
                         {{ImaginaryPart(each.name.text), span}, each.extents, init}};
      items_.emplace_back(std::move(one));
      if (!each.init || !scalar) continue;
      AssignBoth(Target(each.name.text, {}, span), AssignOp::Assign, value,
                 Cover(span, program_.exprs[*each.init].span));
    }
  }

  void Expand(const ast::Placement& placement) {
    ast::Placement parts{placement.kind, {}};
    for (const ast::Name& name : placement.names) {
      if (complex_.count(name.text) == 0) {
        parts.names.push_back(name);
        continue;
      }
      parts.names.push_back({RealPart(name.text), name.span});
      parts.names.push_back({ImaginaryPart(name.text), name.span});
    }
    items_.emplace_back(std::move(parts));
  }

  ast::Program& program_;
  ComplexExprs& exprs_;
  const std::set<std::string>& complex_;
  std::set<std::string> taken_;
  DiagnosticSink& sink_;
  std::vector<ast::StencilItem> items_;
  std::optional<ast::DomainSpec> domain_;  ///< of the statement
  int kept_ = 0;
};

class ProgramExpander {
 public:
  ProgramExpander(const ast::Program& written, DiagnosticSink& sink)
      : program_(written), names_(written, sink), exprs_(program_, sink), sink_(sink) {
    exprs_.Enter(&names_.OfProgram());
  }

  RealProgram Run() {
    ExpandDeclarations();
    for (ast::NameList& list : program_.lists) list.names = BothOf(list.names);
    ExpandBoundaries();
    for (ast::Stencil& stencil : program_.stencils) Expand(stencil);
    program_.calls = Expanded(program_.calls);
    RealProgram real{std::move(program_), {}};
    for (const std::string& name : names_.all()) {
      real.wholes.emplace(RealPart(name), name);
      real.wholes.emplace(ImaginaryPart(name), name);
    }
    return real;
  }

 private:
  bool IsComplex(const std::string& name) const { return names_.OfProgram().count(name) > 0; }

  std::vector<ast::Name> BothOf(const std::vector<ast::Name>& names) const {
    std::vector<ast::Name> both;
    for (const ast::Name& name : names) {
      if (!IsComplex(name.text)) {
        both.push_back(name);
        continue;
      }
      both.push_back({RealPart(name.text), name.span});
      both.push_back({ImaginaryPart(name.text), name.span});
    }
    return both;
  }

  void ExpandDeclarations() {
    for (ast::Declaration& declaration : program_.declarations) {
      if (!std::exchange(declaration.complex, false)) continue;
      std::vector<ast::Declarator> parts;
      for (const ast::Declarator& each : declaration.declarators) {
        const auto& [name, extents, init] = each;
        parts.push_back({{RealPart(name.text), name.span}, extents, init});
        parts.push_back({{ImaginaryPart(name.text), name.span}, extents, init});
      }
      declaration.declarators = std::move(parts);
    }
  }

  void ExpandBoundaries() {
    std::vector<ast::BoundarySpec> specs;
    for (const ast::BoundarySpec& spec : program_.boundaries) {
      if (!IsComplex(spec.array.text)) {
        specs.push_back(spec);
        for (ast::BoundaryMode& mode : specs.back().modes) {
          if (mode.value) mode.value = exprs_.Real(*mode.value, "the value outside a real array");
        }
        continue;
      }
      ast::BoundarySpec re = spec;
      ast::BoundarySpec im = spec;
      re.array.text = RealPart(spec.array.text);
      im.array.text = ImaginaryPart(spec.array.text);
      for (std::size_t d = 0; d < spec.modes.size(); ++d) {
        if (!spec.modes[d].value) continue;
        const Span span = program_.exprs[*spec.modes[d].value].span;
        const Parts value = exprs_.Build(*spec.modes[d].value);
        re.modes[d].value = exprs_.RealOf(value, span);
        im.modes[d].value = exprs_.ImaginaryOf(value, span);
      }
      specs.push_back(std::move(re));
      specs.push_back(std::move(im));
    }
    program_.boundaries = std::move(specs);
  }

  void Expand(ast::Stencil& stencil) {
    const std::set<std::string> complex = names_.OfStencil(stencil);
    const std::vector<bool>& of_formals = names_.FormalsOf(stencil.name.text);
    // What the formals of one that nobody calls are is not known.
    DiagnosticSink unheard;
    DiagnosticSink& sink = names_.IsCalled(stencil.name.text) ? sink_ : unheard;
    ComplexExprs exprs(program_, sink);
    stencil.items = BodyExpander(program_, exprs, complex, names_.taken(), sink).Run(stencil.items);
    std::vector<ast::Formal> formals;
    for (std::size_t k = 0; k < stencil.formals.size(); ++k) {
      const ast::Formal& formal = stencil.formals[k];
      if (k >= of_formals.size() || !of_formals[k]) {
        formals.push_back(formal);
        continue;
      }
      formals.push_back({{RealPart(formal.name.text), formal.name.span}, formal.inout});
      formals.push_back({{ImaginaryPart(formal.name.text), formal.name.span}, formal.inout});
    }
    stencil.formals = std::move(formals);
  }

  std::vector<ast::CallItem> Expanded(const std::vector<ast::CallItem>& items) {
    std::vector<ast::CallItem> out;
    for (const ast::CallItem& item : items) {
      Match(
          item, [&](const ast::StencilCall& call) { Expand(call, out); },
          [&](const ast::Swap& swap) { Expand(swap, out); },
          [&](const ast::Every& every) {
            ast::Every part = every;
            part.body = Expanded(every.body);
            out.emplace_back(std::move(part));
          },
          [&](const ast::Iterate& iterate) {
            ast::Iterate loop = iterate;
            loop.count = exprs_.Real(iterate.count, "a number of turns");
            if (loop.until) {
              loop.until->condition = exprs_.Real(loop.until->condition, kCondition);
            }
            loop.body = Expanded(iterate.body);
            out.emplace_back(std::move(loop));
          });
    }
    return out;
  }

  void Expand(const ast::StencilCall& call, std::vector<ast::CallItem>& out) {
    ast::StencilCall expanded = call;
    const std::vector<bool>& complex = names_.FormalsOf(call.stencil.text);
    expanded.actuals.clear();
    for (std::size_t k = 0; k < call.actuals.size(); ++k) {
      const ast::ExprId actual = call.actuals[k];
      if (k >= complex.size() || !complex[k]) {
        expanded.actuals.push_back(actual);
        continue;
      }
      const Span span = program_.exprs[actual].span;
      const Parts parts = exprs_.Build(actual);
      expanded.actuals.push_back(exprs_.RealOf(parts, span));
      expanded.actuals.push_back(exprs_.ImaginaryOf(parts, span));
    }
    out.emplace_back(std::move(expanded));
  }

  void Expand(const ast::Swap& swap, std::vector<ast::CallItem>& out) {
    const bool first = IsComplex(swap.first.text);
    if (first != IsComplex(swap.second.text)) {
      sink_.Report(swap.span, kSwapShape, swap.first.text, swap.second.text);
    }
    if (!first) {
      out.emplace_back(swap);
      return;
    }
    for (const auto part : {RealPart, ImaginaryPart}) {
      ast::Swap one = swap;
      one.first.text = part(swap.first.text);
      one.second.text = part(swap.second.text);
      out.emplace_back(std::move(one));
    }
  }

  ast::Program program_;
  ComplexNames names_;
  ComplexExprs exprs_;
  DiagnosticSink& sink_;
};

/// The text with names that stand for parts replaced by what they are of.
std::string WithWholes(const std::string& text, const std::map<std::string, std::string>& wholes) {
  std::string result, name;
  const auto end_name = [&] {
    const auto found = wholes.find(name);
    result += found == wholes.end() ? name : found->second;
    name.clear();
  };
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      name += c;
      continue;
    }
    end_name();
    result += c;
  }
  end_name();
  return result;
}

}  // namespace

bool HasComplex(const ast::Program& program) {
  const auto complex = [](const ast::Declaration& declaration) { return declaration.complex; };
  if (std::any_of(program.declarations.begin(), program.declarations.end(), complex)) return true;
  for (const ast::Stencil& stencil : program.stencils) {
    for (const ast::StencilItem& item : stencil.items) {
      const auto* declaration = std::get_if<ast::Declaration>(&item);
      if (declaration != nullptr && declaration->complex) return true;
    }
  }
  return std::any_of(program.exprs.begin(), program.exprs.end(), [](const ast::Expr& expr) {
    const auto* literal = std::get_if<ast::FloatLiteral>(&expr.node);
    return literal != nullptr && literal->imaginary;
  });
}

RealProgram ExpandComplex(const ast::Program& program, DiagnosticSink& sink) {
  return ProgramExpander(program, sink).Run();
}

void ReportWholes(const RealProgram& real, const DiagnosticSink& found, DiagnosticSink& sink) {
  for (Diagnostic diagnostic : found.diagnostics()) {
    diagnostic.message = WithWholes(diagnostic.message, real.wholes);
    diagnostic.hint = WithWholes(diagnostic.hint, real.wholes);
    for (DiagnosticNote& note : diagnostic.notes) {
      note.message = WithWholes(note.message, real.wholes);
    }
    sink.Add(std::move(diagnostic));
  }
}

}  // namespace stencilgen::sema
