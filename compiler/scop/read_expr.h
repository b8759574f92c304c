#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <clang-c/Index.h>

#include "scop/c_region.h"
#include "scop/changed_variables.h"
#include "support/diagnostics.h"

namespace stencilgen::scop {

/// Expressions and variables of a region. Reports what no stencil program has.
class ExprReader {
 public:
  /// `function`: what the region stands in.
  ExprReader(Region& region, CXCursor function, Span whole, DiagnosticSink& sink)
      : region_(region), function_(function), whole_(whole), sink_(sink) {}

  /// Empty where an error was reported.
  std::optional<ExprId> Read(CXCursor cursor);

  /// What stands on the left of an assignment: a scalar or an element.
  std::optional<ExprId> ReadTarget(CXCursor cursor);

  /// The variable that a declaration declares.
  std::optional<VariableId> Declared(CXCursor declaration, Span use);

  /// The variable that an expression names, which may be a pointer; empty where it is none.
  std::optional<VariableId> Named(CXCursor cursor);

  /// True where the expression is the variable.
  bool Is(CXCursor cursor, VariableId variable) const;

  /// Reads `double *row = &u[i*n];`, which nothing changes later: from then on it points there.
  /// False where the declaration is another one.
  bool ReadPointerInto(CXCursor declaration, Span span);

  /// Reads `double& x = u[i];` of the region: from then on `x` is that. Reports what it cannot be.
  void ReadReferenceTo(CXCursor declaration, CXCursor value, Span span);
  /// Reports references to elements of the array, and pointers to them, that are still in sight:
  /// they stay with the memory, which another pointer points to from now on.
  void Exchange(VariableId array);
  /// References and pointers that the region declares while it lives are out of sight after it.
  class Scope {
   public:
    explicit Scope(ExprReader& reader) : reader_(reader), first_(reader.in_sight_.size()) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { reader_.in_sight_.resize(first_); }

   private:
    ExprReader& reader_;
    std::size_t first_;
  };

  /// Reports references whose places depend on what statements assign.
  void CheckReferences(const std::set<VariableId>& assigned);

  /// Where the region names sizes of containers, those that it exchanges must have the same.
  void CompareSizes();

  /// True where the cursor declares the variable.
  bool Declares(CXCursor declaration, VariableId variable) const;

  /// True for what functions that are called later can read: globals, members, references.
  bool OutlivesFunction(VariableId variable) const { return lasting_.count(variable) > 0; }

  /// `value << n` is a product, and `value >> n` a quotient that is rounded down, where n is a
  /// number.
  std::optional<ExprId> ReadShift(CXCursor cursor, Span span);
  /// The same of an `int` that has been read; empty where that or the number is another.
  std::optional<ExprId> Shifted(ExprId value, ExprId places, bool left, Span span);

  /// What a scalar keeps of a value, or of `target op value` where there is an update: a narrow one
  /// its last bits, as after a conversion.
  ExprId Kept(VariableId scalar, ExprId target, std::optional<BinaryOp> update, ExprId value,
              Span span);

  /// What numbers of the format hold of a value.
  ExprId Narrowed(ExprId value, ElementFormat format, Span span);

  /// `value ^ bit` where the bit is the number 1; empty where it is another one.
  std::optional<ExprId> FlippedBit(ExprId value, ExprId bit, Span span);

  ExprId Add(Expr expr);
  ExprId Number(std::int64_t value, Span span);

  struct CalledFunction {
    std::vector<CXCursor> statements;
    /// Parameters that are variables of their own, and what they begin with.
    std::vector<std::pair<VariableId, ExprId>> parameters;
  };
  /// Begins to read a function whose statements take the place of its call. Empty where that was
  /// refused. Until LeaveFunction, other parameters are what the call gives them.
  std::optional<CalledFunction> EnterFunction(CXCursor call, CXCursor definition, Span span);
  void LeaveFunction();
  /// True between the two.
  bool IsInFunction() const { return !calls_.empty(); }

  /// An array with as many subscripts as are written, or a scalar.
  struct Place {
    VariableId variable;
    std::vector<ExprId> subscripts;
    std::optional<ExprId> ahead =
        {};  ///< of a pointer into it: what the next subscript counts from
  };
  std::optional<Place> ReadPlace(CXCursor cursor);

 private:
  class FunctionReader;
  class FunctionValue;
  /// How C names an object, up to the member: `grid.`, `grid->`; `key` is the same for all ways.
  struct Path {
    std::string text, key;
    CXCursor record;            ///< the object's class
    bool by_reference = false;  ///< it may be the same object as another one
  };
  /// What a parameter or a variable of a function stands for while its call is read: a value, which
  /// it may not have yet, an array of the region, or an object.
  struct Bound {
    std::optional<ExprId> value;
    std::optional<VariableId> array;
    std::optional<Path> object;
    std::vector<std::int64_t> extents;            ///< of an array of its own
    std::vector<std::optional<ExprId>> elements;  ///< in the order of memory
  };
  struct Frame {
    CXCursor definition;
    std::optional<Path> object;              ///< whose member the function is; else `this`
    std::map<std::string, Bound> variables;  ///< by DeclarationKey
    Span span;                               ///< of the call in the region
    bool as_value = false;                   ///< not as statements of the region
    Captures captures;                       ///< of a lambda
    std::set<VariableId> tables;             ///< constant arrays that it declares
    int number = 0;                          ///< no other call has it
  };

  /// A cursor's place; inside of a function whose value is read, the place of the call.
  Span SpanOf(CXCursor cursor) const;
  /// The value of a call of a function that the file defines.
  std::optional<ExprId> ReadFunction(CXCursor call, CXCursor definition, Span span);
  /// The same of one that returns a reference.
  std::optional<Place> ReadReference(CXCursor call, CXCursor definition, Span span);
  const Bound* BoundTo(CXCursor declaration) const;
  /// True for `a + k`, `&a[k]`, `u[j]`, and for pointers that stand for such places.
  bool PointsInto(CXCursor cursor) const;
  /// Where the pointer points to. Empty exactly when an error was reported.
  std::optional<Place> ReadRow(CXCursor cursor);
  /// From now on the pointer that is declared points there.
  void PointTo(CXCursor declaration, Place row, Span span);
  /// Where a declared pointer points to; empty for other variables.
  std::optional<Place> RowOf(CXCursor declaration);
  /// References to the array's element, or pointers to it, depend on these variables.
  void NamePlace(VariableId array, const std::vector<ExprId>& subscripts, Span span);
  void AddSubscript(Place& place, ExprId subscript, Span span);
  ExprId Sum(std::optional<ExprId> first, ExprId second, Span span);
  /// The element of an array that the function which is read as a value declares: the array, and
  /// its place in memory, or none where that is not known. Empty for other elements.
  struct OwnElement {
    std::string key;
    std::optional<std::size_t> place;
  };
  std::optional<OwnElement> OwnElementOf(CXCursor cursor);
  std::optional<ExprId> ReadOwn(const OwnElement& own, CXCursor cursor);
  /// `c ? a : b`; in a function that is read as a value, a or b where c is known.
  std::optional<ExprId> ReadChoice(CXCursor cursor, Span span);
  /// Of a variable; those of a function are others in each call.
  std::string KeyOf(CXCursor declaration) const;
  /// Of what is no single object, `asked` is said to be no variable.
  std::optional<Path> PathTo(CXCursor object, CXCursor asked);
  /// With the member's name at its end.
  std::optional<Path> PathOfMember(CXCursor cursor);
  /// `written`: as `this->`.
  Path OwnObject(bool written) const;
  /// `u.size()` of a container that the region names, which it does not change. Empty where the
  /// call is no such thing.
  std::optional<std::optional<ExprId>> ReadSize(CXCursor call, Span span);
  ExprId SizeOf(VariableId array, Span span);
  /// The array that `u.data()`, `u.get()` and `&u[0]` point to the beginning of. The same.
  std::optional<std::optional<VariableId>> NamedByFirst(CXCursor cursor);
  /// From now on the parameter of the function that is read is that scalar or element.
  void Refer(CXCursor declaration, ExprId place, Span span);
  /// True of what a function that is being read declares.
  bool IsOfFunction(CXCursor declaration) const;
  /// `u` of `auto& a = u;`, which has no other name for the region.
  std::optional<CXCursor> Referred(CXCursor declaration) const;
  /// What the region's function can call it, where IsHidden does not hold.
  std::string TextOf(CXCursor declaration) const;
  /// True of a member that the region's function may name.
  bool MayName(CXCursor member) const;
  /// True of a variable that a function names and that is not seen, by its name, in the region.
  bool IsHidden(CXCursor declaration) const;
  /// Reports what a function that is called names and the region cannot.
  bool CheckSeen(CXCursor declaration, Span span);
  /// What a value becomes as one of another type of C; `cursor`: its expression.
  std::optional<ExprId> ConvertedTo(ExprId value, CXType type, CXCursor cursor);
  ExprId Copied(ExprId id);

  /// Of an element or a scalar.
  Place PlaceIn(ExprId expr) const;
  std::optional<Place> ReadPointer(CXCursor cursor);
  std::optional<ExprId> ReadElement(CXCursor cursor, Span span);
  std::optional<ExprId> ReadUnary(CXCursor cursor, Span span);
  std::optional<ExprId> ReadBinary(CXCursor cursor, Span span);
  /// An operand of a comparison, with the type that C compares.
  std::optional<ExprId> ReadCompared(CXCursor part);
  std::optional<ExprId> ReadCall(CXCursor cursor, Span span);
  std::optional<ExprId> ReadCast(CXCursor cursor, Span span);
  /// What std::complex computes; empty where the call is no such thing.
  std::optional<std::optional<ExprId>> ReadComplexCall(CXCursor call, Span span);
  std::optional<ExprId> ReadComplexNumber(CXCursor call, CType type, Span span);
  /// A part of a complex number, which numbers become without a conversion.
  ExprId AsPart(ExprId id, CType part);
  std::optional<ExprId> RefuseAssignment(Span span);
  std::optional<ExprId> Converted(ExprId id, CType type);
  std::optional<VariableId> KnownVariable(const std::string& key, const std::string& text,
                                          CXType type, CXCursor declaration, Span use);
  bool ReadExtents(Variable& variable, CXType type, CXCursor declaration, Span use);
  std::optional<ExprId> Refuse(CXCursor cursor, Span span);
  std::string NewName(const std::string& text);

  Region& region_;
  CXCursor function_;
  Span whole_;
  DiagnosticSink& sink_;
  std::map<std::string, std::optional<VariableId>> known_;
  std::set<std::string> names_;
  std::set<VariableId> lasting_;
  std::map<std::string, ExprId> references_;  ///< what they refer to
  std::map<std::string, Place> rows_;         ///< where pointers into arrays point to
  std::map<VariableId, Span> places_of_references_;
  std::vector<std::pair<VariableId, Span>> in_sight_;  ///< arrays of those that are declared
  std::vector<Frame> calls_;  ///< functions that are being read, outermost first
  int call_count_ = 0;
  bool too_long_ = false;  ///< what functions compute, written out
};

/// The function that a call names, where the file or a header of its own defines it.
std::optional<CXCursor> FunctionDefinition(CXCursor call);

/// Those of a block, or the one that stands without braces.
std::vector<CXCursor> StatementsOf(CXCursor statement);

/// `if (c) { ...; return; }` of a function that returns nothing, or `continue;` of a loop. What
/// follows it belongs to the branch that stays.
struct EarlyExit {
  CXCursor statement, condition;
  std::vector<CXCursor> then_branch, else_branch;  ///< without the exit
};
/// The statements of a function or a loop as far as the first exit in them.
struct BodyWithExit {
  std::vector<CXCursor> before;
  std::optional<EarlyExit> exit;  ///< empty where nothing follows
};
/// `kind`: CXCursor_ReturnStmt or CXCursor_ContinueStmt.
BodyWithExit FindExit(const std::vector<CXCursor>& statements, CXCursorKind kind);

/// `u` of `u[i]`, where `[]` is an operator of a container.
std::optional<CXCursor> SubscriptedContainer(CXCursor call);

/// True for a function or a member that takes a complex number.
bool IsComplexCall(CXCursor call);

/// `+` of a call of an operator that takes complex numbers, `+=` of one that changes them.
std::optional<std::string> ComplexOperator(CXCursor call);
/// The operation of `z += w` and the like of complex numbers, none of `z = w`; empty for other
/// calls.
std::optional<std::optional<BinaryOp>> ComplexUpdate(CXCursor call);

}  // namespace stencilgen::scop
