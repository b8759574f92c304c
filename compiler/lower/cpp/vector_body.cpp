#include "lower/cpp/vector_body.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kernel/uses.h"
#include "kernel/value_dag.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Combine;
using kernel::Expr;
using kernel::Instruction;
using kernel::LetStmt;
using kernel::Value;
using kernel::ValueId;
using kernel::VarRef;

/// `_m1_2` for `[j - 1][i + 2]`.
std::string OffsetsTag(const graph::Access& access) {
  std::string tag;
  for (const graph::Index& index : access.indices) {
    const std::int64_t offset = index.offset.constant;
    tag += fmt::format("_{}{}", offset < 0 ? "m" : "", offset < 0 ? -offset : offset);
  }
  return tag;
}

bool VariesAlong(const graph::Access& access, int iterator) {
  return std::any_of(access.indices.begin(), access.indices.end(),
                     [&](const graph::Index& index) { return index.iterator == iterator; });
}

class VectorLowering {
 public:
  VectorLowering(const ProgramModel& model, const graph::Operator& op, const kernel::Body& body,
                 const FetchPlan& plan, const VectorStyle& style, OperatorCode& code)
      : model_(model),
        op_(op),
        body_(body),
        plan_(plan),
        style_(style),
        code_(code),
        uses_(kernel::FindUses(body)),
        type_(kernel::TypeOf(model.graph().arrays[model.graph().versions[op.result].array].type)),
        vars_(body.values.size()) {}

  VectorCode Lower() {
    lowered_.pack = kernel::MakeVar(code_.Claim("Values"), type_);
    for (ValueId id : plan_.resident) {
      lowered_.row.Add(LetStmt{ClaimVar(id, kVector), Broadcast(UniformOf(body_.values[id]))});
    }
    for (std::size_t k = 0; k < body_.instructions.size(); ++k) {
      for (ValueId operand : plan_.fetches[k]) Fetch(operand, k);
      LowerInstruction(k);
      const ValueId dest = body_.instructions[k].dest;
      if (uses_.definitions[dest.index].back() == k) StoreResults(dest);
    }
    AddTable();
    return std::move(lowered_);
  }

 private:
  static constexpr kernel::Width kVector = kernel::Width::Vector;
  static constexpr kernel::Width kPack = kernel::Width::Pack;

  /// `in_m1_2` for elements, and the names of temporaries as they are.
  const VarRef& ClaimVar(ValueId id, kernel::Width width) {
    const Value& value = body_.values[id];
    std::string wish = value.name;
    if (const auto* element = std::get_if<kernel::Element>(&value.what)) {
      wish = model_.graph().arrays[model_.graph().versions[element->access.version].array].name +
             OffsetsTag(element->access);
    } else if (!kernel::IsTemporary(value)) {
      wish = "factor";
    }
    kernel::Type type = kernel::TypeOf(value.type);
    type.width = width;
    return vars_[id.index] = kernel::MakeVar(code_.Claim(wish), type);
  }

  kernel::Type Wide(kernel::Width width) const { return {type_.of, width}; }
  Expr Broadcast(const Expr& value) const {
    return kernel::Call(kernel::Routine::Broadcast, Wide(kVector), {value});
  }
  Expr AsPack(const Expr& vector) const {
    return kernel::Call(kernel::Routine::AsPack, Wide(kPack),
                        {kernel::Read(lowered_.pack), vector});
  }

  template <typename Stmt>
  void Add(Stmt stmt) {
    lowered_.point.Add(std::move(stmt));
  }

  /// Declares the variable with the value, or gives it that.
  void Set(const VarRef& var, bool declares, const Expr& value) {
    if (declares) {
      Add(LetStmt{var, value, true});
    } else {
      Add(kernel::AssignStmt{kernel::Read(var), AssignOp::Assign, value});
    }
  }

  /// Loads an operand, for the first time or again.
  void Fetch(ValueId id, std::size_t place) {
    const bool uniform = IsUniform(body_.values[id]);
    const bool first = vars_[id.index] == nullptr;
    if (first) ClaimVar(id, uniform ? kVector : kPack);
    const VarRef var = vars_[id.index];
    Set(var, first, uniform ? TableElement(id) : ElementOf(id));
    // What is used once may be an operand in memory.
    const bool once = FetchedAgainBeforeNextUse(id, place);
    if (uniform ? !once || style_.vectors != 1 : !once) Add(kernel::KeepStmt{var});
  }

  /// True where the instruction is the only one that uses what is fetched for it.
  bool FetchedAgainBeforeNextUse(ValueId id, std::size_t place) const {
    const std::vector<std::size_t>& uses = uses_.uses[id.index];
    const auto next = std::upper_bound(uses.begin(), uses.end(), place);
    if (next == uses.end()) return true;
    const std::vector<ValueId>& fetches = plan_.fetches[*next];
    return std::find(fetches.begin(), fetches.end(), id) != fetches.end();
  }

  Expr ElementOf(ValueId id) {
    const graph::Access& access = std::get<kernel::Element>(body_.values[id].what).access;
    const Place place = PlaceOf(access);
    if (!VariesAlong(access, op_.iterators.back())) {
      return kernel::Call(kernel::Routine::Broadcast, Wide(kPack),
                          {kernel::ElementAt(place.row, place.distance)});
    }
    return kernel::Call(
        kernel::Routine::LoadPack, Wide(kPack),
        {kernel::Read(lowered_.pack), kernel::AddressAt(place.row, place.distance)});
  }

  Expr TableElement(ValueId id) {
    const auto [at, is_new] = table_places_.try_emplace(id, table_.size());
    if (table_.empty()) {
      table_var_ = kernel::MakeVar(code_.Claim("uniforms"), type_, kernel::Storage::Constant);
      pointer_ = kernel::MakeVar(code_.Claim("uniform"), type_, kernel::Storage::Global);
    }
    if (is_new) table_.push_back(UniformOf(body_.values[id]));
    return Broadcast(
        kernel::ElementAt(pointer_, kernel::Number(static_cast<std::int64_t>(at->second))));
  }

  Expr UniformOf(const Value& value) {
    return Match(
        value.what,
        [&](const kernel::Element& element) { return code_.Element(element.access, value.type); },
        [&](const graph::Literal& literal) {
          return kernel::Constant(kernel::TypeOf(value.type), literal.value);
        },
        [&](const kernel::Uniform& uniform) { return code_.Lower(uniform.expr); },
        [&](const auto&) {
          STENCILGEN_CHECK(!"a value that vectors do not have");
          return Expr();
        });
  }

  /// The uniform values that do not stay in registers, in one place in memory.
  void AddTable() {
    if (table_.empty()) return;
    lowered_.before.Add(kernel::TableStmt{table_var_, table_});
    kernel::Block point;
    point.Add(LetStmt{pointer_, kernel::Call(kernel::Routine::Anchor, kernel::kAddress,
                                             {kernel::Read(table_var_)})});
    point.Append(lowered_.point);
    lowered_.point = std::move(point);
  }

  struct Place {
    VarRef row;
    Expr distance;
  };

  /// The address of a row, and the distance of the element from it.
  Place PlaceOf(const graph::Access& access) {
    const graph::Array& array =
        model_.graph().arrays[model_.graph().versions[access.version].array];
    const plan::BufferId buffer = model_.plan().buffer_of[access.version.index];
    std::vector<graph::Index> start = access.indices;
    start.back().offset = {};
    const Expr address = kernel::AddressAt(model_.Var(buffer), Position(array, start));
    const auto [at, is_new] = rows_.try_emplace(kernel::Print(address));
    if (is_new) {
      graph::Access row = access;
      row.indices.pop_back();
      const std::string wish = fmt::format("{}_row{}", model_.Name(buffer), OffsetsTag(row));
      at->second = kernel::MakeVar(code_.Claim(wish), kernel::TypeOf(array.type),
                                   kernel::Storage::Global, 0, array.format);
      Add(LetStmt{at->second, kernel::Call(kernel::Routine::Anchor, kernel::kAddress, {address})});
    }
    return {at->second, code_.Form(access.indices.back().offset)};
  }

  Expr Position(const graph::Array& array, const std::vector<graph::Index>& indices) {
    Expr position = kernel::Number(0);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (d > 0) position = position * code_.Form(array.extents[d]);
      position = position + code_.IndexValue(indices[d]);
    }
    return position;
  }

  void LowerInstruction(std::size_t place) {
    const Instruction& instruction = body_.instructions[place];
    const ValueId dest = instruction.dest;
    const bool first = uses_.definitions[dest.index].front() == place;
    if (first) ClaimVar(dest, kPack);
    const VarRef var = vars_[dest.index];
    const Expr value = ValueOf(instruction);
    if (body_.values[dest].type == ScalarType::Bool) return Add(LetStmt{var, value});
    if (first) {
      Set(var, true, instruction.negative ? kernel::Apply(UnaryOp::Negate, value) : value);
    } else {
      Set(var, false, Contribution(instruction, kernel::Read(var), value));
    }
    Add(kernel::KeepStmt{var});
  }

  Expr Operand(const Instruction& instruction, std::size_t n) const {
    return kernel::Read(vars_[instruction.operands[n].index]);
  }

  Expr Contribution(const Instruction& instruction, const Expr& sum, const Expr& value) const {
    if (instruction.combine == Combine::Product) return kernel::Apply(BinaryOp::Mul, sum, value);
    const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
    if (binary != nullptr && *binary == BinaryOp::Mul) {
      const std::vector<Expr> operands = {Operand(instruction, 0), Operand(instruction, 1), sum};
      return instruction.negative ? kernel::Call(kernel::Routine::MulSub, Wide(kPack), operands)
                                  : kernel::Call(Function::Fma, Wide(kPack), operands);
    }
    return kernel::Apply(instruction.negative ? BinaryOp::Sub : BinaryOp::Add, sum, value);
  }

  Expr ValueOf(const Instruction& instruction) const {
    std::vector<Expr> operands;
    bool any_pack = false;
    for (std::size_t n = 0; n < instruction.operands.size(); ++n) {
      operands.push_back(Operand(instruction, n));
      any_pack = any_pack || !IsUniform(body_.values[instruction.operands[n]]);
    }
    // Operations need a pack to know how many vectors there are; what is added to, above all.
    const auto* function = std::get_if<Function>(&instruction.operation);
    if (!any_pack) operands[0] = AsPack(operands[0]);
    if (function != nullptr && *function == Function::Fma &&
        IsUniform(body_.values[instruction.operands[2]])) {
      operands[2] = AsPack(operands[2]);
    }
    return Match(
        instruction.operation, [&](kernel::Copy) { return operands[0]; },
        [&](UnaryOp op) {
          return op == UnaryOp::Plus ? operands[0] : kernel::Apply(op, operands[0]);
        },
        [&](BinaryOp op) { return kernel::Apply(op, operands[0], operands[1]); },
        [&](Function which) {
          return RoundsWhatIsStored(which, instruction.dest)
                     ? operands[0]
                     : kernel::Call(which, Wide(kPack), operands);
        },
        [&](kernel::Select) {
          return kernel::Call(kernel::Routine::Select, Wide(kPack), operands);
        },
        [&](kernel::Convert) { return operands[0]; });
  }

  /// Narrow elements round what is stored in them: nobody else needs the value.
  bool RoundsWhatIsStored(Function function, ValueId value) const {
    const ElementFormat format =
        model_.graph().arrays[model_.graph().versions[op_.result].array].format;
    const bool same = (function == Function::RoundHalf && format == ElementFormat::Half) ||
                      (function == Function::RoundBFloat16 && format == ElementFormat::BFloat16);
    return same && uses_.uses[value.index].empty();
  }

  void StoreResults(ValueId value) {
    const graph::Array& array = model_.graph().arrays[model_.graph().versions[op_.result].array];
    const VarRef& buffer = model_.Var(model_.TargetOf(op_.result));
    for (const kernel::Result& result : body_.results) {
      if (result.value != value) continue;
      const auto& offset = body_.statements[static_cast<std::size_t>(result.statement)].offset;
      const std::vector<graph::Index> target = kernel::Shifted(op_.target, op_, offset);
      Add(kernel::StorePackStmt{kernel::AddressAt(buffer, Position(array, target)),
                                kernel::Read(vars_[value.index])});
    }
  }

  const ProgramModel& model_;
  const graph::Operator& op_;
  const kernel::Body& body_;
  const FetchPlan& plan_;
  const VectorStyle& style_;
  OperatorCode& code_;
  kernel::Uses uses_;
  kernel::Type type_;
  std::vector<VarRef> vars_;  ///< by value; null where it has none yet
  std::map<std::string, VarRef> rows_;
  std::map<ValueId, std::size_t> table_places_;
  std::vector<Expr> table_;
  VarRef table_var_, pointer_;
  VectorCode lowered_;
};

bool HasFunction(Function function) {
  return function == Function::Min || function == Function::Max || function == Function::Abs ||
         function == Function::Fabs || function == Function::Sqrt || function == Function::Fma ||
         function == Function::RoundHalf || function == Function::RoundBFloat16;
}

bool HasOperation(const Instruction& instruction) {
  return Match(
      instruction.operation, [](kernel::Copy) { return true; }, [](UnaryOp) { return true; },
      [](BinaryOp op) { return op != BinaryOp::Power && op != BinaryOp::Mod && !IsBitwise(op); },
      [](Function function) { return HasFunction(function); }, [](kernel::Select) { return true; },
      [](kernel::Convert) { return false; });
}

}  // namespace

bool MayUseVectors(const graph::Graph& graph, const graph::Operator& op) {
  if (op.target.empty() || op.iterators.empty()) return false;
  const int along = op.iterators.back();
  const auto unit_stride = [&](const std::vector<graph::Index>& indices) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (indices[d].iterator != along) continue;
      if (d + 1 < indices.size() || indices[d].coefficient != 1) return false;
    }
    return true;
  };
  const auto is_whole_narrow = [&](graph::VersionId version) {
    const graph::Array& array = graph.arrays[graph.versions[version].array];
    return array.format != ElementFormat::Plain && !IsFloating(array.type);
  };
  const bool plain = std::all_of(op.target.begin(), op.target.end(), graph::IsPlain);
  if (is_whole_narrow(op.result)) return false;
  if (!plain || !unit_stride(op.target) || op.target.back().iterator != along) return false;
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, op);
  return std::all_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    const auto& access = std::get<graph::Access>(graph.exprs[id].node);
    return !is_whole_narrow(access.version) && unit_stride(access.indices) &&
           std::all_of(access.boundary.begin(), access.boundary.end(), [](const auto& boundary) {
             return boundary.kind == graph::BoundaryKind::None;
           });
  });
}

bool FitsVectors(const kernel::Body& body, ScalarType type) {
  if (!IsFloating(type)) return false;
  const auto is_truth = [&](ValueId id) { return body.values[id].type == ScalarType::Bool; };
  for (const Instruction& instruction : body.instructions) {
    if (!HasOperation(instruction)) return false;
    const auto* function = std::get_if<Function>(&instruction.operation);
    const bool rounds = function != nullptr &&
                        (*function == Function::RoundHalf || *function == Function::RoundBFloat16);
    if (rounds && type != ScalarType::Float) return false;
    const bool selects = std::holds_alternative<kernel::Select>(instruction.operation);
    const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
    const auto* unary = std::get_if<UnaryOp>(&instruction.operation);
    const bool logical =
        (binary != nullptr && IsLogical(*binary)) || (unary != nullptr && *unary == UnaryOp::Not);
    const bool compares = binary != nullptr && IsComparison(*binary);
    if (is_truth(instruction.dest) != (logical || compares)) return false;
    if (!is_truth(instruction.dest) && body.values[instruction.dest].type != type) return false;
    for (std::size_t n = 0; n < instruction.operands.size(); ++n) {
      const Value& operand = body.values[instruction.operands[n]];
      const bool truth = logical || (selects && n == 0);
      if (operand.type != (truth ? ScalarType::Bool : type)) return false;
      if (truth && !kernel::IsTemporary(operand)) return false;
      if (std::holds_alternative<kernel::Position>(operand.what) ||
          std::holds_alternative<graph::ParameterRef>(operand.what)) {
        return false;
      }
    }
  }
  return true;
}

VectorCode LowerVectors(const ProgramModel& model, const graph::Operator& op,
                        const kernel::Body& body, const FetchPlan& plan, const VectorStyle& style,
                        OperatorCode& code) {
  return VectorLowering(model, op, body, plan, style, code).Lower();
}

}  // namespace stencilgen::lower::cpp
