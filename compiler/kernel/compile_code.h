#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernel/bytecode.h"

namespace stencilgen::kernel::bytecode {

/// The cells of a value.
struct Operand {
  int cell = 0;
  int lanes = 1;
  Elementary of = Elementary::Index;
};

/// Where a variable is.
struct Home {
  int cell = 0;
  int lanes = 1;
};

/// Makes the instructions of a function. Variables and intermediate values have cells of their
/// own, which those of later scopes and statements take over.
class FunctionCompiler {
 public:
  FunctionCompiler(const Function& function, const ExecuteOptions& options)
      : function_(function), options_(options) {}

  Code Run();

 private:
  // --- compile_code.cpp: instructions and cells ---
  Instruction& Emit(Handler run);
  void Fail(std::string error);
  int Take(int cells);
  Operand ConstantCell(Cell cell, Elementary of);
  Operand ConstantInteger(std::int64_t value, Elementary of = Elementary::Index);
  int LanesOf(Type type) const;
  Home Declare(const Var* var, int lanes);
  const Home* Find(const VarRef& var);
  std::int64_t Here() const { return static_cast<std::int64_t>(code_.instructions.size()); }
  void PatchToHere(const std::vector<std::size_t>& jumps);
  std::size_t EmitJump(Handler run, int condition = 0);
  void WriteFunction(const Function& function);

  // --- compile_code.cpp: statements ---
  void Write(const Block& block);
  void WriteScope(const Block& block);
  void Write(const Stmt& stmt);
  void Write(const LetStmt& let);
  void Write(const DeclareStmt& declare);
  void Write(const SharedStmt& shared);
  void Write(const TableStmt& table);
  void Write(const AssignStmt& assign);
  void Write(const ForStmt& loop);
  void Write(const WhileStmt& loop);
  void Write(const IfStmt& branch);
  void Write(const JumpStmt& jump);
  void Write(const CopyAsyncStmt& copy);
  void WriteEach(const CopyAsyncStmt& copy);
  void Write(const LoadVectorStmt& load);
  void Write(const StoreVectorStmt& store);
  void Write(const RimPlaceStmt& rim);
  void Write(const StorePackStmt& store);
  void Write(const PackStmt& pack);
  void Write(const CallStmt& call);
  void WriteParallel(const ForStmt& loop);
  void WriteSerial(const ForStmt& loop);

  // --- compile_expr.cpp ---
  Operand Value(const Expr& expr);
  /// Converted, in all lanes where the expression has fewer.
  Operand ValueAs(const Expr& expr, Elementary of, int lanes);
  /// The value in these cells.
  void ValueInto(const Expr& expr, Elementary of, const Home& home);
  Operand Convert(const Operand& value, Elementary of);
  Operand Widen(const Operand& value, int lanes);
  Operand Converted(const Operand& value, Elementary of, int lanes) {
    return Widen(Convert(value, of), lanes);
  }
  Operand Shortened(const Operand& value);
  Operand ConstantValue(const ConstExpr& constant, Type type);
  Operand Variable(const VarRef& var);
  Operand ElementValue(const ElementExpr& element);
  Operand AddressValue(const AddressExpr& address);
  Operand PlaceValue(const PlaceExpr& place);
  Operand UnaryValue(const UnaryExpr& unary, Type type);
  Operand BinaryValue(const BinaryExpr& binary, Type type);
  Operand Combined(BinaryOp op, Operand lhs, Operand rhs, Elementary of, int mark);
  Operand LogicalValue(const BinaryExpr& binary);
  Operand ConditionalValue(const ConditionalExpr& conditional, Type type);
  Operand CallValue(const CallExpr& call, Type type);
  Operand FunctionValue(stencilgen::Function function, const CallExpr& call, Type type);
  Operand RoutineValue(Routine routine, const CallExpr& call, Type type);
  /// The elements from a distance behind the address on.
  Operand LoadedPack(const Expr& from, std::int64_t distance, Type type);
  /// Those `distance` behind the middle one's.
  Operand ShiftedLanes(const std::array<Expr, 3>& packs, std::int64_t distance, Type type);
  Operand Extreme(Routine routine, const CallExpr& call);
  Operand ShuffleValue(Routine routine, const CallExpr& call);
  /// The cells from `mark` on are free, but for the operands.
  Operand Applied(Handler run, const std::vector<Operand>& operands, Elementary result, int mark,
                  std::int64_t number = 0);
  void Load(const Operand& dest, const VarRef& array, const Operand& index, bool aligned);
  /// The type of the elements that are at an address.
  Elementary ElementsAt(const Expr& address) const;
  void Store(const AssignStmt& assign, const ElementExpr& element);

  const Function& function_;
  const ExecuteOptions& options_;
  Code code_;
  const Stmt* stmt_ = nullptr;
  int top_ = 0;  ///< the first free cell
  std::map<const Var*, Home> homes_;
  std::map<std::pair<int, std::int64_t>, int> constants_;  ///< by type and bits
  int pack_vectors_ = 1;
  Elementary pack_of_ = Elementary::Double;
  int arrays_ = 0;  ///< among the arguments
  struct Loop {
    std::vector<std::size_t> continues, breaks;
    bool ordered = true;  ///< may be left
  };
  std::vector<Loop> loops_;
  std::vector<std::size_t> returns_;
  std::vector<const Function*> callers_;
  int parallel_loops_ = 0, vector_loops_ = 0;  ///< around the present place
};

}  // namespace stencilgen::kernel::bytecode
