#include <algorithm>
#include <array>
#include <utility>

#include "sema/complex_expr.h"
#include "sema/messages.h"
#include "sema/reductions.h"
#include "support/count_text.h"
#include "support/operators.h"

namespace stencilgen::sema {
namespace {

constexpr std::string_view kRealOnlyHint =
    "of complex numbers there are real, imag, conj, abs, abs2, arg and exp";

/// The functions that only complex numbers have.
constexpr std::array<std::string_view, 5> kOwn = {"real", "imag", "conj", "abs2", "arg"};

bool IsOwn(std::string_view name) {
  return std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
}

}  // namespace

Parts ComplexExprs::BuildNode(const ast::Call& n, ast::ExprId id, Span span) {
  const std::string& name = n.function.text;
  std::vector<Parts> values;
  for (const ast::ExprId argument : n.arguments) values.push_back(Build(argument));
  if (IsOwn(name) && values.size() != 1) {
    sink_.Report(n.function.span, kArity, name, CountText(1, "argument"), values.size());
    return {id, {}};
  }
  const bool any = std::any_of(values.begin(), values.end(),
                               [](const Parts& value) { return value.IsComplex(); });
  if (values.size() == 1 && (any || IsOwn(name))) {
    const std::optional<Parts> reduced = Reduction(n, values.front(), span);
    return reduced ? *reduced : Function(name, values.front(), span);
  }
  if (any) return Refuse(name, kRealOnlyHint, span);
  std::vector<ast::ExprId> arguments;
  arguments.reserve(values.size());
  for (const Parts& value : values) arguments.push_back(*value.re);
  if (arguments == n.arguments) return {id, {}};
  return {Add(ast::Call{n.function, std::move(arguments)}, span), {}};
}

Parts ComplexExprs::Function(const std::string& name, Parts z, Span span) {
  if (name == "real") return {RealOf(z, span), {}};
  if (name == "imag") return {ImaginaryOf(z, span), {}};
  if (name == "conj") return {z.re, Negated(z.im, span)};
  if (name == "abs2") return {SquaredMagnitude(z, span), {}};
  if (name == "exp") return Exponential(Keep(z, span), span);
  if (name == "abs") {
    if (!z.re) return {Call("abs", {*z.im}, span), {}};
    return {Call("sqrt", {SquaredMagnitude(z, span)}, span), {}};
  }
  if (name == "arg") {
    return {Call("atan2", {ImaginaryOf(z, span), RealOf(z, span)}, span), {}};
  }
  return Refuse(name, kRealOnlyHint, span);
}

ast::ExprId ComplexExprs::SquaredMagnitude(Parts z, Span span) {
  z = Keep(z, span);
  return *Sum(Times(z.re, z.re, span), Times(z.im, z.im, span), span);
}

Parts ComplexExprs::Exponential(const Parts& z, Span span) {
  const ast::ExprId cosine = Call("cos", {*z.im}, span);
  const ast::ExprId sine = Call("sin", {*z.im}, span);
  if (!z.re) return {cosine, sine};
  const ast::ExprId size = Call("exp", {*z.re}, span);
  return {Times(size, cosine, span), Times(size, sine, span)};
}

std::optional<Parts> ComplexExprs::Reduction(const ast::Call& n, const Parts& value, Span span) {
  const std::string& name = n.function.text;
  // `abs` and the like are no reductions; `min` and `max` of one argument are.
  if (!FindReduction(name, 1)) return std::nullopt;
  if (name == "norm2") {
    return Parts{Call("sqrt", {Call("sum", {SquaredMagnitude(value, span)}, span)}, span), {}};
  }
  if (name != "sum") return Refuse(name, "of abs(z), say", span);
  const Parts kept = Keep(value, span);
  const auto sum = [&](Id part) { return part ? Id{Call("sum", {*part}, span)} : Id{}; };
  return Parts{sum(kept.re), sum(kept.im)};
}

}  // namespace stencilgen::sema
