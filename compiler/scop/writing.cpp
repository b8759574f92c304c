// Names, parameters and linear forms of the program that is written.
#include <algorithm>

#include <fmt/format.h>

#include "scop/program_writer.h"

namespace stencilgen::scop {

std::string Writing::NewName(const std::string& base) {
  std::string clean;
  for (const char c : base) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || c == '_') {
      clean.push_back(c);
    } else if (!clean.empty() && clean.back() != '_') {
      clean.push_back('_');
    }
  }
  while (!clean.empty() && clean.back() == '_') clean.pop_back();
  if (clean.empty() || (clean[0] >= '0' && clean[0] <= '9')) clean.insert(0, "n");
  std::string name = clean;
  for (int k = 2; !names.insert(name).second; ++k) name = fmt::format("{}_{}", clean, k);
  return name;
}

ast::ExprId Writing::Integer(std::int64_t value, Span span) {
  const ast::ExprId literal = Add({ast::IntLiteral{value < 0 ? -value : value}, span});
  return value < 0 ? Add({ast::Unary{UnaryOp::Negate, literal}, span}) : literal;
}

const std::string& Writing::ParameterOf(std::size_t symbol) {
  const auto found = parameters.find(symbol);
  if (found != parameters.end()) return found->second;
  const Symbol& meant = model.affine->symbols()[symbol];
  // A parameter is at least 1; a size that may be 0 where something is computed goes one up.
  bool at_zero = false;
  const std::string p = AffineReader::NameOf(symbol);
  const isl::set none = model.Set(fmt::format("{{ : {} <= 0 }}", p));
  for (const Step& step : model.steps) {
    isl::set computed = step.domain.intersect_params(none.intersect(context));
    for (const Access& access : step.accesses) {
      if (!access.expr.Valid()) continue;
      const std::size_t rank = region.variables[access.variable].extents.size();
      std::string inside;
      for (std::size_t d = 0; d < rank; ++d) {
        inside += fmt::format("{}l{} >= 0", inside.empty() ? "" : " and ", d);
      }
      if (rank == 0) continue;
      const isl::set elements =
          model.Set(fmt::format("{{ V{}[{}] : {} }}", access.variable.index, Tuple(rank), inside));
      computed = computed.intersect(access.map.intersect_range(elements).domain());
    }
    if (computed.is_empty()) continue;
    at_zero = true;
    const isl::set below = model.Set(fmt::format("{{ : {} <= -1 }}", p));
    if (!computed.intersect_params(below).is_empty()) out.keeps_code = true;
  }
  shifts[symbol] = at_zero ? 1 : 0;
  std::string name;
  if (at_zero) {
    name = NewName(fmt::format("{}_plus_1", meant.text));
  } else {
    name = meant.variable ? region.variables[*meant.variable].name : NewName(meant.text);
  }
  const std::string bound = at_zero ? fmt::format("{} + 1", meant.text) : meant.text;
  if (bound != name) out.bindings[name] = bound;
  if (!out.condition.empty()) out.condition += " && ";
  out.condition += fmt::format("{} >= {}", meant.text, at_zero ? 0 : 1);
  out.program.parameters.push_back({{name, meant.span}, std::nullopt});
  return parameters.emplace(symbol, name).first->second;
}

std::string Writing::TextOf(const Linear& linear) const {
  std::string text = std::to_string(linear.constant) + "LL";
  for (const auto& [symbol, factor] : linear.symbols) {
    text += fmt::format(" + {}LL * ({})", factor, model.affine->symbols()[symbol].text);
  }
  return fmt::format("({})", text);
}

ast::ExprId Writing::Write(const Linear& linear, const Frame* frame, Span span) {
  // Terms in the order in which they are usually written: counters, sizes, the number.
  std::vector<std::pair<std::int64_t, std::string>> terms;
  Linear rest = linear;
  rest.dims.clear();
  for (std::size_t d = 0; frame != nullptr && d < linear.dims.size(); ++d) {
    const std::int64_t factor = linear.dims[d];
    if (factor == 0) continue;
    if (d < frame->turns.size()) {
      Turn& turn = turns[d];
      turn.is_named = true;
      terms.emplace_back(factor * turn.step, turn.name);
      rest = Sum(rest, turn.first, factor);
    } else {
      terms.emplace_back(factor, iterators[frame->iterators[d - frame->turns.size()]]);
    }
  }
  std::int64_t constant = rest.constant;
  for (const auto& [symbol, factor] : rest.symbols) {
    terms.emplace_back(factor, ParameterOf(symbol));
    constant -= factor * shifts[symbol];
  }
  std::optional<ast::ExprId> sum;
  const auto add = [&](std::int64_t factor, ast::ExprId term) {
    if (!sum) {
      sum = factor < 0 ? Add({ast::Unary{UnaryOp::Negate, term}, span}) : term;
    } else {
      sum = Add({ast::Binary{factor < 0 ? BinaryOp::Sub : BinaryOp::Add, *sum, term}, span});
    }
  };
  // A form does not begin with a sign where another term can stand first.
  std::stable_sort(terms.begin(), terms.end(),
                   [](const auto& a, const auto& b) { return a.first > 0 && b.first < 0; });
  for (const auto& [factor, name] : terms) {
    const std::int64_t size = factor < 0 ? -factor : factor;
    ast::ExprId term = Name(name, span);
    if (size != 1) term = Add({ast::Binary{BinaryOp::Mul, Integer(size, span), term}, span});
    add(factor, term);
  }
  if (!sum) return Integer(constant, span);
  if (constant != 0) add(constant, Integer(constant < 0 ? -constant : constant, span));
  return *sum;
}

}  // namespace stencilgen::scop
