#include "kernel/compile_code.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "kernel/handlers.h"
#include "support/match.h"

namespace stencilgen::kernel::bytecode {

Instruction& FunctionCompiler::Emit(Handler run) {
  Instruction it;
  it.run = run;
  it.stmt = stmt_;
  code_.instructions.push_back(it);
  return code_.instructions.back();
}

void FunctionCompiler::Fail(std::string error) {
  if (!code_.error.empty()) return;
  Block block;
  if (stmt_ != nullptr) block.stmts.push_back(*stmt_);
  const std::string text = Print(block);
  code_.error = fmt::format("{} at `{}`", error, text.substr(0, text.find('\n')));
}

int FunctionCompiler::Take(int cells) {
  const int first = top_;
  top_ += cells;
  code_.cells = std::max(code_.cells, top_);
  return first;
}

Operand FunctionCompiler::ConstantCell(Cell cell, Elementary of) {
  std::int64_t bits = 0;
  std::memcpy(&bits, &cell, sizeof bits);
  const auto [at, is_new] = constants_.try_emplace({static_cast<int>(of), bits},
                                                   -1 - static_cast<int>(code_.constants.size()));
  if (is_new) code_.constants.push_back(cell);
  return {at->second, 1, of};
}

Operand FunctionCompiler::ConstantInteger(std::int64_t value, Elementary of) {
  Cell cell;
  cell.integer = value;
  return ConstantCell(cell, of);
}

int FunctionCompiler::LanesOf(Type type) const {
  if (type.width == Width::One) return 1;
  const Elementary of = type.of == Elementary::Bool ? pack_of_ : type.of;
  const int lanes = std::max(1, options_.vector_bytes / SizeInBytes(of));
  return type.width == Width::Vector ? lanes : lanes * pack_vectors_;
}

Home FunctionCompiler::Declare(const Var* var, int lanes) {
  const int count = var->storage == Storage::Registers ? std::max(1, var->count) : 1;
  return homes_[var] = {Take(lanes * count), lanes};
}

const Home* FunctionCompiler::Find(const VarRef& var) {
  const auto found = homes_.find(var.get());
  if (found != homes_.end()) return &found->second;
  Fail(fmt::format("{} is not defined", var->name));
  return nullptr;
}

std::size_t FunctionCompiler::EmitJump(Handler run, int condition) {
  Emit(run).a = condition;
  return code_.instructions.size() - 1;
}

void FunctionCompiler::PatchToHere(const std::vector<std::size_t>& jumps) {
  for (const std::size_t jump : jumps) code_.instructions[jump].number = Here();
}

Code FunctionCompiler::Run() {
  // The cells of what is bound before the code runs come first.
  code_.argument_cells = static_cast<int>(function_.arguments.size());
  for (const Argument& argument : function_.arguments) {
    Declare(argument.var.get(), 1);
    if (argument.var->storage != Storage::Value) ++arrays_;
  }
  for (const auto& [var, memory] : options_.constants) {
    Declare(var.get(), 1);
    ++arrays_;
    ++code_.argument_cells;
  }
  if (function_.vectors != nullptr) {
    Declare(function_.vectors.get(), 1);
    ++code_.argument_cells;
  }
  WriteFunction(function_);
  Emit(&End);
  return std::move(code_);
}

void FunctionCompiler::WriteFunction(const Function& function) {
  callers_.push_back(&function);
  std::vector<std::size_t> outer;
  std::swap(outer, returns_);
  std::vector<Loop> outer_loops;
  std::swap(outer_loops, loops_);
  Write(function.body);
  PatchToHere(returns_);
  std::swap(outer_loops, loops_);
  std::swap(outer, returns_);
  callers_.pop_back();
}

void FunctionCompiler::WriteScope(const Block& block) {
  const int mark = top_;
  Write(block);
  top_ = mark;
}

void FunctionCompiler::Write(const Block& block) {
  for (const Stmt& stmt : block.stmts) {
    if (!code_.error.empty()) return;
    const Stmt* const outer = stmt_;
    stmt_ = &stmt;
    Write(stmt);
    stmt_ = outer;
  }
}

void FunctionCompiler::Write(const Stmt& stmt) {
  const auto device = [&](Handler run) {
    if (function_.target != Target::Device)
      Fail("a statement of devices in a function of the host");
    Emit(run);
  };
  Match(
      stmt.what, [&](const BarrierStmt&) { device(&Barrier); },
      [&](const CommitStmt&) { device(&CommitCopies); },
      [&](const WaitStmt&) { device(&WaitForCopies); }, [](const KeepStmt&) {},
      [](const FenceStmt&) {}, [](const ProgressStmt&) {}, [](const CommentStmt&) {},
      [&](const FlopsStmt& each) { Emit(&CountFlops).number = each.count; },
      [&](const ScopeStmt& each) { WriteScope(each.body); },
      [&](const auto& each) { Write(each); });
}

void FunctionCompiler::Write(const LetStmt& let) {
  const int mark = top_;
  const bool is_value = let.var->storage == Storage::Value;
  const Elementary of = is_value ? let.var->type.of : Elementary::Address;
  // What the value is made of lies behind the variable; how many lanes it has says its type.
  const bool mask = let.var->type.width != Width::One && of == Elementary::Bool;
  int lanes = is_value ? LanesOf(let.var->type) : 1;
  if (mask) lanes = LanesOf(let.value.type());
  const Home home = {Take(lanes), lanes};
  ValueInto(let.value, of, home);
  top_ = mark;
  Declare(let.var.get(), lanes);
}

void FunctionCompiler::Write(const DeclareStmt& declare) {
  for (const VarRef& var : declare.vars) {
    const Home home = Declare(var.get(), LanesOf(var->type));
    const int count = var->storage == Storage::Registers ? std::max(1, var->count) : 1;
    Cell zero;
    WithType(var->type.of, [&](auto of) { Set<decltype(of)>(zero, decltype(of){}); });
    const int from = ConstantCell(zero, var->type.of).cell;
    Instruction& it = Emit(declare.zero ? &Repeat : &Forget);
    it.dest = home.cell;
    it.a = from;
    it.lanes = home.lanes * count;
    it.number = 1;
  }
}

void FunctionCompiler::Write(const SharedStmt& shared) {
  const int size = SizeInBytes(shared.var->type.of);
  code_.shared_granule = std::min(code_.shared_granule, size);
  const Operand address =
      ConstantInteger(MakeAddress(kSharedRegion, shared.bytes + shared.elements * size));
  const Home home = Declare(shared.var.get(), 1);
  Instruction& it = Emit(&Move);
  it.dest = home.cell;
  it.a = address.cell;
}

void FunctionCompiler::Write(const TableStmt& table) {
  const Elementary of = table.var->type.of;
  const auto count = static_cast<int>(table.values.size());
  if (table.var->storage == Storage::Registers) {
    const Home home = {Take(count), 1};
    for (int k = 0; k < count; ++k) {
      ValueInto(table.values[static_cast<std::size_t>(k)], of, {home.cell + k, 1});
    }
    homes_[table.var.get()] = home;
    return;
  }
  if (function_.target == Target::Device) return Fail("a table in memory of every thread");
  const auto region = kFirstArgumentRegion + arrays_ + static_cast<int>(code_.tables.size());
  code_.tables.push_back({of, table.values.size()});
  const Home home = Declare(table.var.get(), 1);
  Instruction& address = Emit(&Move);
  address.dest = home.cell;
  address.a = ConstantInteger(MakeAddress(region, 0)).cell;
  for (int k = 0; k < count; ++k) {
    const int mark = top_;
    const Operand value = ValueAs(table.values[static_cast<std::size_t>(k)], of, 1);
    const Operand index = ConstantInteger(k);
    Instruction& it = Emit(StoreHandler(of));
    it.dest = home.cell;
    it.a = index.cell;
    it.b = value.cell;
    top_ = mark;
  }
}

Elementary FunctionCompiler::ElementsAt(const Expr& address) const {
  if (const auto* sum = address.As<AddressExpr>()) return sum->array->type.of;
  if (const auto* var = address.As<VarExpr>()) return var->var->type.of;
  if (const auto* call = address.As<CallExpr>()) return ElementsAt(call->arguments[0]);
  return Elementary::Double;
}

void FunctionCompiler::Write(const CopyAsyncStmt& copy) {
  if (function_.target != Target::Device) return Fail("an asynchronous copy without a device");
  if (copy.elements > 1) return WriteEach(copy);
  const int mark = top_;
  const Operand to = ValueAs(copy.to, Elementary::Address, 1);
  const Operand from = ValueAs(copy.from, Elementary::Address, 1);
  Instruction& it = Emit(&CopyAsync);
  it.dest = to.cell;
  it.a = from.cell;
  it.number = SizeInBytes(ElementsAt(copy.to));
  top_ = mark;
}

/// As so many copies of an element.
void FunctionCompiler::WriteEach(const CopyAsyncStmt& copy) {
  const auto* to = copy.to.As<AddressExpr>();
  const auto* from = copy.from.As<AddressExpr>();
  if (to == nullptr || from == nullptr) return Fail("a copy from or to no address in an array");
  for (int k = 0; k < copy.elements; ++k) {
    Write(CopyAsyncStmt{AddressAt(to->array, to->offset + Number(k)),
                        AddressAt(from->array, from->offset + Number(k))});
  }
}

void FunctionCompiler::Write(const LoadVectorStmt& load) {
  const int mark = top_;
  const Operand address = ValueAs(load.from, Elementary::Address, 1);
  const Operand zero = ConstantInteger(0);
  const Home* values = Find(load.values);
  if (values == nullptr) return;
  Instruction& it = Emit(LoadHandler(load.values->type.of));
  it.dest = values->cell;
  it.lanes = load.values->count;
  it.a = address.cell;
  it.b = zero.cell;
  it.c = 1;
  top_ = mark;
}

void FunctionCompiler::Write(const StoreVectorStmt& store) {
  const int mark = top_;
  const Operand position = ValueAs(store.position, Elementary::Index, 1);
  const Home* array = Find(store.array);
  const Home* values = Find(store.values);
  if (array == nullptr || values == nullptr) return;
  Instruction& it = Emit(StoreHandler(store.values->type.of));
  it.dest = array->cell;
  it.lanes = store.values->count;
  it.a = position.cell;
  it.b = values->cell;
  it.c = 1;
  top_ = mark;
}

void FunctionCompiler::Write(const RimPlaceStmt& rim) {
  const Home y = Declare(rim.y.get(), 1);
  const Home x = Declare(rim.x.get(), 1);
  const int mark = top_;
  const Operand number = ValueAs(rim.number, Elementary::Int, 1);
  Instruction& it = Emit(&PlaceInRim);
  it.dest = y.cell;
  it.c = x.cell;
  it.a = number.cell;
  top_ = mark;
}

void FunctionCompiler::Write(const StorePackStmt& store) {
  const int mark = top_;
  const Operand to = ValueAs(store.to, Elementary::Address, 1);
  const auto* address = store.to.As<AddressExpr>();
  const ElementFormat format = address == nullptr ? ElementFormat::Plain : address->array->format;
  const bool rounds = format >= ElementFormat::Half;
  const auto function = format == ElementFormat::Half ? stencilgen::Function::RoundHalf
                                                      : stencilgen::Function::RoundBFloat16;
  const Operand value =
      Value(rounds ? Call(function, store.value.type(), {store.value}) : store.value);
  const Operand zero = ConstantInteger(0);
  Instruction& it = Emit(StoreHandler(value.of));
  it.dest = to.cell;
  it.lanes = value.lanes;
  it.a = zero.cell;
  it.b = value.cell;
  top_ = mark;
}

void FunctionCompiler::Write(const PackStmt& pack) {
  pack_of_ = pack.name->type.of;
  pack_vectors_ = pack.vectors == 0 ? options_.pack_vectors : pack.vectors;
  homes_[pack.name.get()] = {0, 1};  // never read
  if (pack.width == nullptr) return;
  const Operand width = ConstantInteger(LanesOf({pack_of_, Width::Pack}));
  const Home home = Declare(pack.width.get(), 1);
  Instruction& it = Emit(&Move);
  it.dest = home.cell;
  it.a = width.cell;
}

void FunctionCompiler::Write(const CallStmt& call) {
  const auto callee =
      std::find_if(options_.callees.begin(), options_.callees.end(),
                   [&](const Function* each) { return each->name == call.function; });
  if (callee == options_.callees.end()) {
    return Fail(fmt::format("{} is not known", call.function));
  }
  const Function& function = **callee;
  if (std::count(callers_.begin(), callers_.end(), &function) > 0) {
    return Fail(fmt::format("{} calls itself", function.name));
  }
  if (function.arguments.size() != call.arguments.size()) {
    return Fail(fmt::format("{} has {} arguments", function.name, function.arguments.size()));
  }
  const int mark = top_;
  std::vector<Home> homes;
  for (std::size_t n = 0; n < call.arguments.size(); ++n) {
    const Var& var = *function.arguments[n].var;
    homes.push_back({Take(1), 1});
    const bool is_value = var.storage == Storage::Value;
    ValueInto(call.arguments[n], is_value ? var.type.of : Elementary::Address, homes.back());
  }
  // A variable may be an argument here and in the caller.
  const std::map<const Var*, Home> outer = homes_;
  for (std::size_t n = 0; n < homes.size(); ++n) {
    homes_[function.arguments[n].var.get()] = homes[n];
  }
  WriteFunction(function);
  homes_ = outer;
  top_ = mark;
}

}  // namespace stencilgen::kernel::bytecode
