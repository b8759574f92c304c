#include "scop/read_copy.h"

#include <algorithm>
#include <utility>

#include "scop/changes.h"
#include "scop/cursor.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kCopy{
    "c-copy", Severity::Error, "what `{}` does here is no copy of rows of one array to another"};

std::int64_t BytesOf(const Variable& array) {
  if (array.format != ElementFormat::Plain) return SizeInBytes(ScalarType::Int, array.format);
  if (IsComplex(array.type)) return array.type == CType::ComplexDouble ? 16 : 8;
  return array.type == CType::Bool ? 1 : array.type == CType::Double ? 8 : 4;
}

/// Without conversions to other pointers.
CXCursor WithoutCasts(CXCursor cursor) {
  for (cursor = Unwrap(cursor); clang_getCursorKind(cursor) == CXCursor_CStyleCastExpr;) {
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    if (parts.empty()) break;
    cursor = Unwrap(parts.back());
  }
  return cursor;
}

}  // namespace

bool CopyReader::Read(CXCursor call, Span span, std::vector<StatementId>& to) {
  std::string name = TakeString(clang_getCursorSpelling(call));
  if (name.rfind("__builtin_", 0) == 0) name = name.substr(10);
  const bool zeros = name == "memset";
  if ((name != "memcpy" && name != "memmove" && !zeros) ||
      clang_Cursor_getNumArguments(call) != 3) {
    return false;
  }
  Copy copy;
  copy.function = name;
  copy.span = span;
  auto target = ReadPart(clang_Cursor_getArgument(call, 0));
  const CXCursor second = clang_Cursor_getArgument(call, 1);
  bool known = target.has_value();
  if (known && zeros) known = IntegerValue(Unwrap(second)) == 0;
  if (known && !zeros) {
    copy.from = ReadPart(second);
    known = copy.from.has_value();
  }
  if (!known || !AddFactors(clang_Cursor_getArgument(call, 2), copy.bytes)) {
    Refuse(name, span);
    return true;
  }
  copy.to = *std::move(target);
  // Until Finish it is a loop of nothing.
  copy.loop = region_.statements.Add({Loop{}, span});
  to.push_back(copy.loop);
  copies_.push_back(std::move(copy));
  return true;
}

void CopyReader::Refuse(const std::string& function, Span span) {
  sink_.Report(span, kCopy, function)
      .Hint(
          "whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and "
          "memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop");
}

std::optional<CopyReader::Part> CopyReader::ReadPart(CXCursor wrapped) {
  CXCursor cursor = WithoutCasts(wrapped);
  bool first = false;  // the address of an element
  if (clang_getCursorKind(cursor) == CXCursor_UnaryOperator &&
      clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf) {
    cursor = Unwrap(ChildrenOf(cursor)[0]);
    first = true;
  }
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr &&
      kind != CXCursor_ArraySubscriptExpr) {
    return std::nullopt;
  }
  const auto place = exprs_.ReadPlace(cursor);
  if (!place || place->ahead) return std::nullopt;  // a row begins where no pointer is ahead of it
  Part part{place->variable, place->subscripts, {}};
  const auto& extents = region_.variables[place->variable].extents;
  // `&a[i][0]` is where the row a[i] begins.
  while (first && !part.subscripts.empty()) {
    const auto* zero = std::get_if<Integer>(&region_.exprs[part.subscripts.back()].node);
    if (zero == nullptr || zero->value != 0) break;
    part.subscripts.pop_back();
  }
  if (first && part.subscripts.size() == place->subscripts.size() && !part.subscripts.empty()) {
    return std::nullopt;
  }
  if (part.subscripts.size() >= extents.size()) return std::nullopt;
  part.extents.assign(extents.begin() + static_cast<std::ptrdiff_t>(part.subscripts.size()),
                      extents.end());
  return part;
}

/// Multiplies the product by an expression of C.
bool CopyReader::AddFactors(CXCursor wrapped, Product& product) {
  CXCursor cursor = Unwrap(wrapped);
  if (const auto value = IntegerValue(cursor)) {
    product.number *= *value;
    return *value > 0;
  }
  while (clang_getCursorKind(cursor) == CXCursor_CStyleCastExpr) cursor = WithoutCasts(cursor);
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_UnaryExpr) return AddSize(cursor, product);
  if (kind == CXCursor_BinaryOperator &&
      clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Mul) {
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    return AddFactors(parts[0], product) && AddFactors(parts[1], product);
  }
  const auto factor = exprs_.Read(cursor);
  if (factor) product.factors.push_back(*factor);
  return factor.has_value();
}

/// `sizeof a` of an array whose size is known when the program runs.
bool CopyReader::AddSize(CXCursor cursor, Product& product) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  if (parts.size() != 1) return false;
  const auto part = ReadPart(parts[0]);
  if (!part || !part->extents[0]) return false;
  product.number *= BytesOf(region_.variables[part->array]);
  for (const auto& extent : part->extents) {
    const Product one = ProductOf(*extent);
    product.number *= one.number;
    product.factors.insert(product.factors.end(), one.factors.begin(), one.factors.end());
  }
  return true;
}

bool CopyReader::Same(ExprId a, ExprId b) const {
  const Expr& first = region_.exprs[a];
  const Expr& second = region_.exprs[b];
  const auto* integer = std::get_if<Integer>(&first.node);
  if (integer != nullptr) {
    const auto* other = std::get_if<Integer>(&second.node);
    return other != nullptr && other->value == integer->value;
  }
  const auto* use = std::get_if<Use>(&first.node);
  if (use != nullptr) {
    const auto* other = std::get_if<Use>(&second.node);
    return other != nullptr && other->variable == use->variable;
  }
  const auto* binary = std::get_if<Binary>(&first.node);
  const auto* other = std::get_if<Binary>(&second.node);
  return binary != nullptr && other != nullptr && binary->op == other->op &&
         Same(binary->lhs, other->lhs) && Same(binary->rhs, other->rhs);
}

/// Both have the same dimensions but for the first.
bool CopyReader::SameRows(const Part& a, const Part& b) const {
  const Variable& first = region_.variables[a.array];
  const Variable& second = region_.variables[b.array];
  if (first.type != second.type || first.format != second.format) return false;
  if (a.extents.size() != b.extents.size()) return false;
  for (std::size_t d = 1; d < a.extents.size(); ++d) {
    if (!Same(*a.extents[d], *b.extents[d])) return false;
  }
  return true;
}

CopyReader::Product CopyReader::ProductOf(ExprId id) const {
  if (const auto* integer = std::get_if<Integer>(&region_.exprs[id].node)) {
    return {integer->value, {}};
  }
  const auto* binary = std::get_if<Binary>(&region_.exprs[id].node);
  if (binary == nullptr || binary->op != BinaryOp::Mul) return {1, {id}};
  Product product = ProductOf(binary->lhs);
  const Product rest = ProductOf(binary->rhs);
  product.number *= rest.number;
  product.factors.insert(product.factors.end(), rest.factors.begin(), rest.factors.end());
  return product;
}

/// False where there is a remainder.
bool CopyReader::Divide(Product& product, const Product& by) const {
  if (by.number <= 0 || product.number % by.number != 0) return false;
  product.number /= by.number;
  for (const ExprId factor : by.factors) {
    const auto found = std::find_if(product.factors.begin(), product.factors.end(),
                                    [&](ExprId each) { return Same(each, factor); });
    if (found == product.factors.end()) return false;
    product.factors.erase(found);
  }
  return true;
}

/// What the loops' counters are multiplied by in a subscript.
void CopyReader::AddStrides(ExprId id, const Product& outer, std::vector<Product>& strides) const {
  const auto& node = region_.exprs[id].node;
  if (const auto* use = std::get_if<Use>(&node)) {
    for (const Statement& statement : region_.statements) {
      const auto* loop = std::get_if<Loop>(&statement.node);
      if (loop == nullptr || loop->iterator != use->variable) continue;
      strides.push_back(outer);
      return;
    }
    return;
  }
  const auto* binary = std::get_if<Binary>(&node);
  if (binary == nullptr) return;
  if (binary->op == BinaryOp::Mul) {
    const auto times = [&](ExprId part, ExprId factor) {
      Product inner = outer;
      const Product by = ProductOf(factor);
      inner.number *= by.number;
      inner.factors.insert(inner.factors.end(), by.factors.begin(), by.factors.end());
      AddStrides(part, inner, strides);
    };
    times(binary->lhs, binary->rhs);
    times(binary->rhs, binary->lhs);
  } else if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub) {
    AddStrides(binary->lhs, outer, strides);
    AddStrides(binary->rhs, outer, strides);
  }
}

/// The extents of what is copied, outermost first.
std::vector<CopyReader::Product> CopyReader::RowsOf(const Copy& copy, bool& known) const {
  known = !copy.from || SameRows(copy.to, *copy.from);
  Product count = copy.bytes;
  known = known && Divide(count, {BytesOf(region_.variables[copy.to.array]), {}});
  std::vector<Product> extents;
  for (std::size_t d = 1; known && d < copy.to.extents.size(); ++d) {
    extents.push_back(ProductOf(*copy.to.extents[d]));
    known = Divide(count, extents.back());
  }
  if (!known) return {};
  if (!extents.empty() || !copy.to.subscripts.empty()) {
    extents.insert(extents.begin(), count);
    return extents;
  }
  // Of one dimension: rows are where other subscripts have them.
  std::vector<Product> strides;
  for (const Expr& expr : region_.exprs) {
    const auto* element = std::get_if<Element>(&expr.node);
    if (element == nullptr || element->subscripts.size() != 1) continue;
    const bool named =
        element->variable == copy.to.array || (copy.from && element->variable == copy.from->array);
    if (named) AddStrides(element->subscripts[0], {}, strides);
  }
  std::sort(strides.begin(), strides.end(), [](const Product& a, const Product& b) {
    return std::pair(a.factors.size(), a.number) > std::pair(b.factors.size(), b.number);
  });
  for (const Product& stride : strides) {
    Product rows = count;
    if (!Divide(rows, stride)) continue;
    if (rows.number == 1 && rows.factors.empty()) continue;
    const bool again = !extents.empty() && stride.number == count.number &&
                       stride.factors.size() == count.factors.size();
    if (again) continue;
    extents.push_back(rows);
    count = stride;
  }
  if (count.number != 1 || !count.factors.empty()) extents.push_back(count);
  return extents;
}

ExprId CopyReader::Write(const Product& product, Span span) {
  std::optional<ExprId> all;
  if (product.number != 1 || product.factors.empty()) all = exprs_.Number(product.number, span);
  for (const ExprId factor : product.factors) {
    all = all ? exprs_.Add({Binary{BinaryOp::Mul, *all, factor}, CType::Int, span}) : factor;
  }
  return *all;
}

ExprId CopyReader::ElementOf(const Part& part, const std::vector<VariableId>& counters,
                             const std::vector<Product>& extents, Span span) {
  std::vector<ExprId> subscripts = part.subscripts;
  const auto counter = [&](std::size_t k) {
    return exprs_.Add({Use{counters[k]}, CType::Int, span});
  };
  if (part.extents.size() == counters.size()) {
    for (std::size_t k = 0; k < counters.size(); ++k) subscripts.push_back(counter(k));
  } else {
    ExprId linear = counter(0);
    for (std::size_t k = 1; k < counters.size(); ++k) {
      const ExprId extent = Write(extents[k], span);
      const ExprId rows = exprs_.Add({Binary{BinaryOp::Mul, linear, extent}, CType::Int, span});
      linear = exprs_.Add({Binary{BinaryOp::Add, rows, counter(k)}, CType::Int, span});
    }
    subscripts.push_back(linear);
  }
  return exprs_.Add(
      {Element{part.array, std::move(subscripts)}, region_.variables[part.array].type, span});
}

void CopyReader::Finish() {
  for (const Copy& copy : copies_) Finish(copy);
}

void CopyReader::Finish(const Copy& copy) {
  bool known = true;
  const std::vector<Product> extents = RowsOf(copy, known);
  if (!known || extents.empty()) return Refuse(copy.function, copy.span);
  std::vector<VariableId> counters;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    Variable counter;
    counter.name = counter.text = FreeName(region_, "row");
    counter.type = CType::Int;
    counter.is_local = true;
    counter.used = copy.span;
    counters.push_back(region_.variables.Add(counter));
  }
  const ExprId target = ElementOf(copy.to, counters, extents, copy.span);
  const ExprId value =
      copy.from ? ElementOf(*copy.from, counters, extents, copy.span) : exprs_.Number(0, copy.span);
  StatementId inner = region_.statements.Add({Assign{target, std::nullopt, value}, copy.span});
  for (std::size_t k = extents.size(); k-- > 0;) {
    Loop loop;
    loop.iterator = counters[k];
    loop.first = exprs_.Number(0, copy.span);
    loop.bounds = {{BinaryOp::Less, Write(extents[k], copy.span)}};
    loop.body = {inner};
    loop.declares = true;
    if (k == 0) {
      region_.statements[copy.loop].node = std::move(loop);
    } else {
      inner = region_.statements.Add({std::move(loop), copy.span});
    }
  }
}

}  // namespace stencilgen::scop
