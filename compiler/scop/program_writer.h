#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scop/linear.h"
#include "scop/subscript_cases.h"
#include "scop/translation.h"
#include "scop/value_range.h"
#include "scop/views.h"

/// Parts of Translate.
namespace stencilgen::scop {

/// A loop of the region that is an `iterate` of the program.
struct Turn {
  StatementId loop;
  std::string name;
  Linear first;  ///< the counter in the first turn
  std::int64_t step = 1;
  bool is_named = false;  ///< something depends on the turn
  isl::set values;        ///< of the counter, one dimension
  Linear count;           ///< of turns
};

/// Where a statement's points are: each has the coordinates of the element that it writes.
struct Frame {
  std::vector<std::size_t> turns;      ///< numbers of the loops that stay, among the step's loops
  std::vector<std::size_t> iterators;  ///< of the program, by coordinate
  /// From instances to the counters of the turns, then the coordinates; by text, without the name
  /// of a step.
  std::string coordinates;
  std::size_t loops = 0;

  std::size_t size() const { return turns.size() + iterators.size(); }
  isl::map MapOf(const Model& model, const Step& step) const;
  /// Names of the dimensions, for isl.
  std::vector<std::string> Dims() const;
};

/// What a step reads along one dimension of an array, as it is written.
struct WrittenRead {
  std::size_t step = 0;
  VariableId variable;
  std::size_t dimension = 0;
  Linear subscript;  ///< over the turns and coordinates of the step's frame
};

/// What all parts of the translation share.
struct Writing {
  Writing(const Model& made, const Order& chosen, DiagnosticSink& to)
      : model(made),
        region(*made.region),
        order(chosen),
        sink(to),
        context(made.context),
        valid(made.ctx(), "{ : }") {}

  const Model& model;
  const Region& region;
  const Order& order;
  DiagnosticSink& sink;
  isl::set context;  ///< sizes for which the program is right: the model's, or fewer
  isl::set valid;    ///< sizes for which the region stays inside of its arrays
  Translation out;
  std::set<std::string> names;                    ///< that are taken
  std::map<std::size_t, std::string> parameters;  ///< by symbol
  std::map<std::size_t, std::int64_t> shifts;     ///< what a parameter is more than its symbol
  std::vector<std::string> iterators;
  std::map<std::uint32_t, std::vector<Linear>> extents;  ///< by variable
  std::map<std::uint32_t, ArrayViews> views;             ///< the same
  /// By variable and dimension: how subscripts go past its edges.
  std::map<std::pair<std::uint32_t, std::size_t>, ast::BoundaryKind> boundaries;
  std::vector<WrittenRead> reads;
  std::set<VariableId> scalars;  ///< declared at program level
  std::set<VariableId> reduced;
  std::set<StatementId> exchanged;  ///< loops at the end of whose turns pointers are exchanged
  std::vector<Turn> turns;          ///< around what is being written

  std::string NewName(const std::string& base);
  ast::ExprId Add(ast::Expr expr) { return out.program.exprs.Add(std::move(expr)); }
  ast::ExprId Integer(std::int64_t value, Span span);
  ast::ExprId Name(const std::string& name, Span span) { return Add({ast::NameRef{name}, span}); }
  const std::string& ParameterOf(std::size_t symbol);

  /// A form over the parameters alone, as C.
  std::string TextOf(const Linear& linear) const;

  /// A form over the parameters alone, or over the turns around and the coordinates of a frame.
  ast::ExprId Write(const Linear& linear, const Frame* frame, Span span);
};

/// The values of one stencil.
class ValueWriter {
 public:
  ValueWriter(Writing& writing, const Frame& frame, ast::Stencil& stencil)
      : writing_(writing), frame_(frame), stencil_(stencil) {}

  struct Value {
    ast::ExprId id;
    bool flexible = false;  ///< takes the type of what it meets in the language, but not in C
    CType type = CType::Other;
  };

  /// Empty where an error was reported.
  std::optional<Value> Write(const Step& step, ExprId id);

  /// An element, or a scalar.
  std::optional<ast::ExprId> WritePlace(const Step& step, ExprId id);

  /// The element that the step writes, or its scalar.
  std::optional<ast::ExprId> WriteTarget(const Step& step);

  std::optional<Value> Combine(BinaryOp op, Value a, Value b, Span span);

  /// The value as it is before it is converted for a target of the type: what numbers alone make is
  /// double in C.
  Value BeforeConversion(Value value, CType target);

  /// The value that C stores in elements of the format, of which whole numbers keep the last bits;
  /// floating ones beyond the ends have no meaning in C. `range`: where the value lies.
  Value Narrowed(Value value, ElementFormat format, ValueRange range);

 private:
  /// An element by its subscripts; where some have several cases, a choice of elements.
  ast::ExprId Chosen(ast::Access element, const std::vector<std::vector<SubscriptCase>>& subscripts,
                     Span span);
  std::vector<SubscriptCase> Cases(const Access& access, const isl::map& map, std::size_t d);
  ast::ExprId Holds(const LinearCondition& condition, Span span);
  std::optional<ast::ExprId> Indexed(const Step& step, const Access& access, Span span);
  /// Reports a subscript that has a turn beside a coordinate. True where it has not.
  bool CheckOneCounter(const Step& step, const Linear& subscript, Span span);
  std::optional<Linear> Subscript(const Access& access, const isl::map& map, std::size_t d);
  std::optional<Value> WriteNode(const Step& step, const Binary& node, const Expr& expr);
  std::optional<Value> WriteUnsigned(const Step& step, const Binary& node, Value plain, Span span);
  bool Wraps(ExprId id, const Scope& scope);
  std::optional<Value> RefuseWide(Span span);
  std::optional<Value> WriteUse(const Step& step, VariableId variable, const Expr& expr);
  void Meet(Value& a, Value& b);
  /// True where the language would give an expression of these the type of what it meets.
  static bool AreFlexible(const std::vector<Value>& values);
  Value Typed(Value value, CType type);

  Writing& writing_;
  const Frame& frame_;
  ast::Stencil& stencil_;
  bool is_compared_ = false;  ///< what is written: an unsigned number may be computed as an `int`
};

std::optional<ScalarType> ScalarTypeOf(CType type);

}  // namespace stencilgen::scop
