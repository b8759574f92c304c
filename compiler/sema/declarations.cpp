#include "sema/declarations.h"

#include <algorithm>
#include <set>
#include <string>

#include "graph/element_format.h"
#include "sema/affine.h"
#include "sema/messages.h"
#include "sema/reductions.h"
#include "sema/turns.h"
#include "support/count_text.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

using graph::ArrayId;
using graph::LinearForm;

constexpr DiagnosticKind<std::string_view> kBelowOne{
    "parameter-below-one", Severity::Error, "parameter '{}' must be an integer of at least 1"};
constexpr DiagnosticKind<std::string_view> kParameterValue{
    "parameter-value", Severity::Error, "the default of parameter '{}' must be an integer"};
constexpr DiagnosticKind<> kNoIterator{"no-iterator", Severity::Error,
                                       "the program declares no iterator"};
constexpr DiagnosticKind<> kTooManyIterators{"too-many-iterators", Severity::Error,
                                             "a program has at most 4 iterators"};
/// Of an array: those of space, and one for components or time.
constexpr std::size_t kMostDimensions = 4;

constexpr DiagnosticKind<std::string_view, std::size_t, std::size_t> kRankTooHigh{
    "rank-too-high", Severity::Error, "array '{}' has {} dimensions, an array has at most {}"};
constexpr DiagnosticKind<std::string_view> kExtentBelowOne{"extent-below-one", Severity::Error,
                                                           "this extent of array '{}' is below 1"};
constexpr DiagnosticKind<std::string_view> kUndeclaredInList{
    "undeclared-in-list", Severity::Warning, "'{}' is listed but not declared; it is ignored"};
constexpr DiagnosticKind<std::string_view> kListedName{"not-an-array", Severity::Error,
                                                       "'{}' is not an array or scalar"};
constexpr DiagnosticKind<std::string_view> kBoundaryScalar{"not-an-array", Severity::Error,
                                                           "'{}' is not an array"};
constexpr DiagnosticKind<std::string_view> kCopyoutScalar{
    "copyout-scalar", Severity::Warning,
    "'{}' is a scalar, passed by value: it cannot be copied out"};
constexpr DiagnosticKind<std::string_view> kCopyoutReadOnly{
    "copyout-read-only", Severity::Error, "'{}' is read-only, it cannot be copied out"};
constexpr DiagnosticKind<std::string_view> kCoefficientArray{
    "coefficient-array", Severity::Error, "'{}' is an array; `coefficient` lists scalars"};
constexpr DiagnosticKind<std::string_view> kConflictingLists{
    "conflicting-lists", Severity::Error, "'{}' is both copied in and listed in allocin"};
constexpr DiagnosticKind<std::string_view, std::string, std::string> kBoundaryRank{
    "boundary-rank", Severity::Error, "'{}' has {}, but {} given"};
constexpr DiagnosticKind<std::string_view> kBoundaryType{
    "boundary-type", Severity::Error, "'{}' is a bool, which has no values between to continue"};
constexpr DiagnosticKind<> kBoundaryValue{"boundary-value", Severity::Error,
                                          "a boundary value must be a number"};
constexpr DiagnosticKind<> kUnrollFactor{"unroll-factor", Severity::Error,
                                         "an unroll factor is an integer from 1 to 64"};
constexpr DiagnosticKind<std::string_view> kNotIterator{"not-an-iterator", Severity::Error,
                                                        "'{}' is not an iterator"};

constexpr DiagnosticKind<std::string_view, std::string_view> kNarrowScalar{
    "narrow-scalar", Severity::Error, "'{}' is a scalar: only arrays are {}"};

class Declarer {
 public:
  explicit Declarer(Context& context) : context_(context) {}

  void Run() {
    reduced_ = ReducedScalars(context_.ast);
    for (const ast::Parameter& parameter : context_.ast.parameters) Declare(parameter);
    DeclareIterators();
    for (const ast::Declaration& declaration : context_.ast.declarations) Declare(declaration);
    for (const ast::NameList& list : context_.ast.lists) Apply(list);
    CheckLists();
    for (const ast::BoundarySpec& boundary : context_.ast.boundaries) Apply(boundary);
    for (const ast::UnrollSpec& unroll : context_.ast.unrolls) ApplyUnroll(context_, unroll);
    DeclareTurns(context_);
  }

 private:
  bool Introduce(const ast::Name& name, SymbolKind kind, std::uint32_t index) {
    const auto [place, fresh] =
        context_.symbols.try_emplace(name.text, Symbol{kind, index, name.span});
    if (!fresh) {
      context_.sink.Report(name.span, kRedeclared, name.text)
          .Note(place->second.span, "declared here first");
    }
    context_.taken.insert(name.text);
    return fresh;
  }

  void Declare(const ast::Parameter& ast) {
    graph::Parameter parameter{ast.name.text, {}, {}, ast.name.span};
    if (ast.value) {
      const auto value = ToAffine(
          context_,
          [](const std::string&) {
            return Ref{RefKind::Array, 0, {}};
          },
          *ast.value);
      const Span span = context_.ast.exprs[*ast.value].span;
      if (!value) {
        context_.sink.Report(span, kParameterValue, ast.name.text);
      } else if (value->form.constant < 1) {
        context_.sink.Report(span, kBelowOne, ast.name.text);
      } else {
        parameter.default_value = value->form.constant;
      }
    }
    const auto fixed = context_.options.fixed.find(ast.name.text);
    if (fixed != context_.options.fixed.end()) parameter.fixed = fixed->second;
    const auto index = static_cast<std::uint32_t>(context_.graph.parameters.size());
    if (Introduce(ast.name, SymbolKind::Parameter, index)) context_.graph.parameters.Add(parameter);
  }

  void DeclareIterators() {
    const auto& iterators = context_.ast.iterators;
    if (iterators.empty()) {
      context_.sink.Report({}, kNoIterator).Hint("add `iterator k, j, i;`, outermost first");
    }
    for (const ast::Name& name : iterators) {
      if (context_.graph.iterators.size() == kMostIterators) {
        context_.sink.Report(name.span, kTooManyIterators);
        break;
      }
      const auto index = static_cast<std::uint32_t>(context_.graph.iterators.size());
      if (Introduce(name, SymbolKind::Iterator, index))
        context_.graph.iterators.push_back(name.text);
    }
    context_.graph.unroll_wishes.assign(context_.graph.iterators.size(), 1);
  }

  void Declare(const ast::Declaration& declaration) {
    for (const ast::Declarator& declarator : declaration.declarators) {
      if (declarator.init) {
        context_.sink
            .Report(context_.ast.exprs[*declarator.init].span, kInitializer, declarator.name.text)
            .Hint(
                "program-level scalars are arguments of the host function; initialise a local "
                "scalar inside a stencil instead");
      }
      const ElementType type = context_.TypeOf(declaration, declarator.name.text);
      RequireArray(context_, type, declarator);
      graph::Array array;
      array.name = declarator.name.text;
      array.type = type.type;
      array.format = type.format;
      array.extents = DeclareExtents(context_, declarator, ProgramResolver(context_));
      array.span = declarator.name.span;
      const bool reduced = reduced_.count(array.name) > 0;
      if (reduced) array.extents = {LinearForm::Constant(1)};
      array.copy_in = array.rank() == 0;
      const auto index = static_cast<std::uint32_t>(context_.graph.arrays.size());
      if (!Introduce(declarator.name, SymbolKind::Array, index)) continue;
      const ArrayId id = context_.AddArray(std::move(array));
      context_.arrays[id.index].reduced = reduced;
      context_.current[id.index] = context_.graph.versions.Add({id, graph::DefKind::Initial, {}});
    }
  }

  /// The array or scalar of a listed name; empty (and reported) where there is none.
  std::optional<ArrayId> ListedArray(const ast::Name& name) {
    const auto found = context_.symbols.find(name.text);
    if (found == context_.symbols.end()) {
      context_.sink.Report(name.span, kUndeclaredInList, name.text);
      return std::nullopt;
    }
    if (found->second.kind == SymbolKind::Parameter) return std::nullopt;  // by value anyway
    if (found->second.kind == SymbolKind::Iterator) {
      context_.sink.Report(name.span, kListedName, name.text);
      return std::nullopt;
    }
    return ArrayId{found->second.index};
  }

  void Apply(const ast::NameList& list) {
    for (const ast::Name& name : list.names) {
      const auto id = ListedArray(name);
      if (!id) continue;
      graph::Array& array = context_.graph.arrays[*id];
      ArrayFacts& facts = context_.arrays[id->index];
      switch (list.kind) {
        case ast::ListKind::CopyIn:
          array.copy_in = true;
          break;
        case ast::ListKind::AllocIn:
          facts.alloc_in = true;
          break;
        case ast::ListKind::Coefficient:
          if (context_.WrittenRank(*id) > 0) {
            context_.sink.Report(name.span, kCoefficientArray, name.text)
                .Hint("list a read-only array in `constant`");
          }
          array.constant = true;
          break;
        case ast::ListKind::Constant:
          array.constant = true;
          array.copy_in = true;
          break;
        case ast::ListKind::CopyOut:
          if (array.rank() == 0) {
            context_.sink.Report(name.span, kCopyoutScalar, name.text)
                .Hint(fmt::format("what an array of one element has comes back: `{} {}[1];`",
                                  ElementName(array), name.text));
          } else {
            array.copy_out = true;
            facts.copy_out_span = name.span;
          }
          break;
      }
    }
  }

  void CheckLists() {
    for (const ArrayId id : context_.graph.arrays.Ids()) {
      const graph::Array& array = context_.graph.arrays[id];
      const ArrayFacts& facts = context_.arrays[id.index];
      if (array.constant && array.copy_out) {
        context_.sink.Report(facts.copy_out_span, kCopyoutReadOnly, array.name);
      }
      if (facts.alloc_in && array.copy_in && array.rank() > 0) {
        context_.sink.Report(array.span, kConflictingLists, array.name);
      }
    }
  }

  void Apply(const ast::BoundarySpec& spec) {
    const auto found = context_.symbols.find(spec.array.text);
    if (found == context_.symbols.end()) {
      context_.sink.Report(spec.array.span, kUndeclared, spec.array.text);
      return;
    }
    if (found->second.kind != SymbolKind::Array ||
        context_.WrittenRank(ArrayId{found->second.index}) == 0) {
      context_.sink.Report(spec.array.span, kBoundaryScalar, spec.array.text)
          .Hint("a boundary mode belongs to an array");
      return;
    }
    const std::size_t rank = context_.graph.arrays[ArrayId{found->second.index}].rank();
    ArrayFacts& facts = context_.arrays[found->second.index];
    if (with_boundary_.count(spec.array.text) > 0) {
      context_.sink.Report(spec.array.span, kRedeclared,
                           fmt::format("boundary {}", spec.array.text));
      return;
    }
    if (spec.per_dimension && spec.modes.size() != rank) {
      context_.sink.Report(spec.array.span, kBoundaryRank, spec.array.text,
                           CountText(rank, "dimension"),
                           CountText(spec.modes.size(), "boundary mode is", "boundary modes are"));
      return;
    }
    const graph::Array& array = context_.graph.arrays[ArrayId{found->second.index}];
    for (std::size_t d = 0; d < rank; ++d) {
      const ast::BoundaryMode& mode = spec.modes[spec.per_dimension ? d : 0];
      const bool extrapolates = mode.kind == ast::BoundaryKind::Extrapolate;
      if (extrapolates && array.type == ScalarType::Bool) {
        context_.sink.Report(mode.span, kBoundaryType, spec.array.text)
            .Hint("write 'clamp', or declare the array as an int");
        return;
      }
      facts.boundary.push_back(Mode(mode));
      facts.boundary.back().value = graph::Nearest(array.format, facts.boundary.back().value);
      facts.extrapolated.push_back(extrapolates);
    }
    with_boundary_.insert(spec.array.text);
    const auto& boundary = facts.boundary;
    if (std::all_of(boundary.begin(), boundary.end(), [](const graph::Boundary& each) {
          return each.kind == graph::BoundaryKind::None;
        })) {
      facts.boundary.clear();
      facts.extrapolated.clear();
    }
  }

  graph::Boundary Mode(const ast::BoundaryMode& mode) {
    switch (mode.kind) {
      case ast::BoundaryKind::None:
        return {graph::BoundaryKind::None, 0};
      case ast::BoundaryKind::Clamp:
      case ast::BoundaryKind::Extrapolate:
        return {graph::BoundaryKind::Clamp, 0};
      case ast::BoundaryKind::Mirror:
        return {graph::BoundaryKind::Mirror, 0};
      case ast::BoundaryKind::Mirror101:
        return {graph::BoundaryKind::Mirror101, 0};
      case ast::BoundaryKind::Wrap:
        return {graph::BoundaryKind::Wrap, 0};
      case ast::BoundaryKind::Constant:
        break;
    }
    const auto value = mode.value ? NumberOf(*mode.value) : std::nullopt;
    if (!value) context_.sink.Report(mode.span, kBoundaryValue);
    return {graph::BoundaryKind::Constant, value.value_or(0)};
  }

  std::optional<double> NumberOf(ast::ExprId id) {
    return Match(
        context_.ast.exprs[id].node,
        [](const ast::IntLiteral& n) {
          return std::optional<double>(static_cast<double>(n.value));
        },
        [](const ast::FloatLiteral& n) { return std::optional<double>(n.value); },
        [&](const ast::Unary& n) {
          auto value = NumberOf(n.operand);
          if (!value || n.op == UnaryOp::Not) return std::optional<double>();
          return std::optional<double>(n.op == UnaryOp::Negate ? -*value : *value);
        },
        [](const auto&) { return std::optional<double>(); });
  }

  Context& context_;
  std::set<std::string> with_boundary_;  ///< arrays whose modes are declared
  std::set<std::string> reduced_;        // ReducedScalars
};

}  // namespace

void RequireArray(Context& context, ElementType type, const ast::Declarator& declarator) {
  if (type.format == ElementFormat::Plain || !declarator.extents.empty()) return;
  context.sink.Report(declarator.name.span, kNarrowScalar, declarator.name.text, ElementName(type))
      .Hint(fmt::format("values are computed as {}: declare it so", ToString(type.type)));
}

std::vector<LinearForm> DeclareExtents(Context& context, const ast::Declarator& declarator,
                                       const Resolver& resolve) {
  std::vector<LinearForm> extents;
  const std::size_t rank = declarator.extents.size();
  if (rank > kMostDimensions) {
    context.sink.Report(declarator.name.span, kRankTooHigh, declarator.name.text, rank,
                        kMostDimensions);
  }
  for (const ast::ExprId id : declarator.extents) {
    auto extent = ToLinear(context, resolve, id, "an extent");
    if (extent && AlwaysNegative(*extent - 1)) {
      context.sink.Report(context.ast.exprs[id].span, kExtentBelowOne, declarator.name.text);
    }
    extents.push_back(extent.value_or(LinearForm::Constant(1)));
  }
  return extents;
}

void ApplyUnroll(Context& context, const ast::UnrollSpec& spec) {
  for (const ast::UnrollFactor& factor : spec.factors) {
    const auto found = context.symbols.find(factor.iterator.text);
    if (found == context.symbols.end() || found->second.kind != SymbolKind::Iterator) {
      context.sink.Report(factor.iterator.span, kNotIterator, factor.iterator.text);
      continue;
    }
    const auto value = ToAffine(context, ProgramResolver(context), factor.factor);
    const bool number = value && value->form.IsConstant() &&
                        value->coefficients == std::array<std::int64_t, kMostIterators>{};
    if (!number || value->form.constant < 1 || value->form.constant > 64) {
      context.sink.Report(context.ast.exprs[factor.factor].span, kUnrollFactor);
      continue;
    }
    context.graph.unroll_wishes[found->second.index] = static_cast<int>(value->form.constant);
  }
}

void DeclareProgram(Context& context) {
  Declarer(context).Run();
}

}  // namespace stencilgen::sema
