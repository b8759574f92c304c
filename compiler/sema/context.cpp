#include "sema/context.h"

#include "sema/messages.h"
#include "support/count_text.h"

namespace stencilgen::sema {

std::string Context::UniqueName(const std::string& base) {
  std::string name = base;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

void Context::ReportRank(graph::ArrayId id, const ast::Name& name, Span access, std::size_t given) {
  const std::string indices = CountText(given == 0 ? WrittenRank(id) : given, "index", "indices");
  auto report = [&] {
    if (WrittenRank(id) == 0) return sink.Report(name.span, kNotIndexed, name.text);
    if (given == 0) return sink.Report(name.span, kNeedsIndex, name.text, indices);
    return sink.Report(access, kWrongRank, name.text, CountText(WrittenRank(id), "dimension"),
                       indices);
  }();
  const std::string& actual = arrays[id.index].source_name;
  if (actual == name.text) return;
  report.Note(graph.arrays[id].span,
              fmt::format("the call gives '{}' for '{}'", actual, name.text));
}

ElementType Context::TypeOf(const ast::Declaration& declaration, const std::string& name) const {
  const auto given = options.types.find(name);
  return given == options.types.end() ? ElementType{declaration.type, declaration.format}
                                      : given->second;
}

graph::ArrayId Context::AddArray(graph::Array array) {
  arrays.emplace_back();
  arrays.back().source_name = array.name;
  current.emplace_back();
  return graph.arrays.Add(std::move(array));
}

graph::ExprId Context::AddLinear(const graph::LinearForm& form, Span span) {
  const auto add = [&](auto node) { return AddExpr({std::move(node), ScalarType::Int, span}); };
  graph::ExprId sum;
  for (const auto& [parameter, coefficient] : form.terms) {
    graph::ExprId term = add(graph::ParameterRef{parameter});
    if (coefficient != 1) {
      const graph::ExprId factor = add(graph::Literal{0, coefficient});
      term = add(graph::Binary{BinaryOp::Mul, factor, term});
    }
    sum = sum.Valid() ? add(graph::Binary{BinaryOp::Add, sum, term}) : term;
  }
  if (!sum.Valid()) return add(graph::Literal{0, form.constant});
  if (form.constant == 0) return sum;
  const bool negative = form.constant < 0;
  const graph::ExprId constant = add(graph::Literal{0, negative ? -form.constant : form.constant});
  return add(graph::Binary{negative ? BinaryOp::Sub : BinaryOp::Add, sum, constant});
}

}  // namespace stencilgen::sema
