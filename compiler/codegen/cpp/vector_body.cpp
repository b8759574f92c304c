#include "codegen/cpp/vector_body.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "codegen/text.h"
#include "kernel/uses.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::codegen::cpp {
namespace {

using kernel::Combine;
using kernel::Instruction;
using kernel::Value;
using kernel::ValueId;

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

class VectorPrinter {
 public:
  VectorPrinter(const ProgramModel& model, const graph::Operator& op, const kernel::Body& body,
                const FetchPlan& plan, const VectorStyle& style, OperatorCode& code)
      : model_(model),
        op_(op),
        body_(body),
        plan_(plan),
        style_(style),
        code_(code),
        uses_(kernel::FindUses(body)),
        type_(ToString(model.graph().arrays[model.graph().versions[op.result].array].type)),
        names_(body.values.size()) {}

  VectorText Print() {
    text_.type = code_.Claim("Values");
    text_.before.push_back(
        style_.vectors == 0
            ? fmt::format("using {} = Pack<{}>;", text_.type, type_)
            : fmt::format("using {} = Pack<{}, {}>;", text_.type, type_, style_.vectors));
    for (ValueId id : plan_.resident) {
      ClaimName(id);
      text_.row.push_back(fmt::format("const Vector<{}> {} = Broadcast({});", type_,
                                      names_[id.index], UniformText(body_.values[id])));
    }
    for (std::size_t k = 0; k < body_.instructions.size(); ++k) {
      for (ValueId operand : plan_.fetches[k]) Fetch(operand, k);
      PrintInstruction(k);
      const ValueId dest = body_.instructions[k].dest;
      if (uses_.definitions[dest.index].back() == k) StoreResults(dest);
    }
    PrintTable();
    return std::move(text_);
  }

 private:
  /// `in_m1_2` for elements, and the names of temporaries as they are.
  void ClaimName(ValueId id) {
    const Value& value = body_.values[id];
    std::string wish = value.name;
    if (const auto* element = std::get_if<kernel::Element>(&value.what)) {
      wish = model_.graph().arrays[model_.graph().versions[element->access.version].array].name +
             OffsetsTag(element->access);
    } else if (!kernel::IsTemporary(value)) {
      wish = "factor";
    }
    names_[id.index] = code_.Claim(wish);
  }

  void Line(std::string line) { text_.point.push_back(std::move(line)); }
  void Keep(const std::string& name) { Line(fmt::format("Keep({});", name)); }

  /// Loads an operand, for the first time or again.
  void Fetch(ValueId id, std::size_t place) {
    const bool uniform = IsUniform(body_.values[id]);
    const bool again = !names_[id.index].empty();
    if (!again) ClaimName(id);
    const std::string& name = names_[id.index];
    const std::string value = uniform ? TableText(id) : ElementText(id);
    const std::string declares = uniform ? fmt::format("Vector<{}> ", type_) : text_.type + " ";
    Line(fmt::format("{}{} = {};", again ? "" : declares, name, value));
    // What is used once may be an operand in memory.
    const bool once = FetchedAgainBeforeNextUse(id, place);
    if (uniform ? !once || style_.vectors != 1 : !once) Keep(name);
  }

  /// True where the instruction is the only one that uses what is fetched for it.
  bool FetchedAgainBeforeNextUse(ValueId id, std::size_t place) const {
    const std::vector<std::size_t>& uses = uses_.uses[id.index];
    const auto next = std::upper_bound(uses.begin(), uses.end(), place);
    if (next == uses.end()) return true;
    const std::vector<ValueId>& fetches = plan_.fetches[*next];
    return std::find(fetches.begin(), fetches.end(), id) != fetches.end();
  }

  std::string ElementText(ValueId id) {
    const graph::Access& access = std::get<kernel::Element>(body_.values[id].what).access;
    const Place place = PlaceOf(access);
    const std::string pointer = place.distance.value == std::int64_t{0}
                                    ? place.row
                                    : (Variable(place.row) + place.distance).text;
    return VariesAlong(access, op_.iterators.back())
               ? fmt::format("Load<{}>({})", text_.type, pointer)
               : fmt::format("Broadcast(*({}))", pointer);
  }

  std::string TableText(ValueId id) {
    const auto [at, is_new] = table_places_.try_emplace(id, table_.size());
    if (table_.empty()) {
      table_name_ = code_.Claim("uniforms");
      pointer_name_ = code_.Claim("uniform");
    }
    if (is_new) table_.push_back(UniformText(body_.values[id]));
    return fmt::format("Broadcast({}[{}])", pointer_name_, at->second);
  }

  std::string UniformText(const Value& value) {
    return Match(
        value.what,
        [&](const kernel::Element& element) {
          return code_.Element(element.access, value.type).text;
        },
        [&](const graph::Literal& literal) { return LiteralText(value.type, literal.value); },
        [&](const kernel::Uniform& uniform) { return code_.Print(uniform.expr); },
        [&](const auto&) {
          STENCILGEN_CHECK(!"a value that vectors do not have");
          return std::string();
        });
  }

  /// The uniform values that do not stay in registers, in one place in memory.
  void PrintTable() {
    if (table_.empty()) return;
    text_.before.push_back(
        fmt::format("const {} {}[] = {{{}}};", type_, table_name_, fmt::join(table_, ", ")));
    text_.point.insert(text_.point.begin(), fmt::format("const {}* const {} = Anchor({});", type_,
                                                        pointer_name_, table_name_));
  }

  struct Place {
    std::string row;
    Term distance;
  };

  /// A pointer into the row, and the distance of the element from it.
  Place PlaceOf(const graph::Access& access) {
    const graph::Array& array =
        model_.graph().arrays[model_.graph().versions[access.version].array];
    const plan::BufferId buffer = model_.plan().buffer_of[access.version.index];
    std::vector<graph::Index> start = access.indices;
    start.back().offset = {};
    const std::string position =
        fmt::format("{} + {}", model_.Name(buffer), Position(array, start).text);
    const auto [at, is_new] = rows_.try_emplace(position, "");
    if (is_new) {
      graph::Access row = access;
      row.indices.pop_back();
      const std::string wish = fmt::format("{}_row{}", model_.Name(buffer), OffsetsTag(row));
      at->second = code_.Claim(wish);
      Line(fmt::format("const {}* const {} = Anchor({});", ToString(array.type), at->second,
                       position));
    }
    return {at->second, code_.Form(access.indices.back().offset)};
  }

  Term Position(const graph::Array& array, const std::vector<graph::Index>& indices) {
    Term position = Number(0);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (d > 0) position = position * code_.Form(array.extents[d]);
      position = position + IndexTerm(indices[d]);
    }
    return position;
  }

  std::size_t PlaceOf(int iterator) const {
    const auto at = std::find(op_.iterators.begin(), op_.iterators.end(), iterator);
    STENCILGEN_CHECK(at != op_.iterators.end());
    return static_cast<std::size_t>(at - op_.iterators.begin());
  }

  Term IndexTerm(const graph::Index& index) {
    Term offset = code_.Form(index.offset);
    if (index.iterator < 0) return offset;
    const Term iterator = Variable(code_.IteratorName(PlaceOf(index.iterator)));
    if (index.coefficient < 0) return offset - Number(-index.coefficient) * iterator;
    return Number(index.coefficient) * iterator + offset;
  }

  void PrintInstruction(std::size_t place) {
    const Instruction& instruction = body_.instructions[place];
    const ValueId dest = instruction.dest;
    const bool first = uses_.definitions[dest.index].front() == place;
    if (first) ClaimName(dest);
    const std::string& name = names_[dest.index];
    const std::string value = ValueText(instruction);
    if (body_.values[dest].type == ScalarType::Bool) {
      Line(fmt::format("const auto {} = {};", name, value));
      return;
    }
    if (first) {
      Line(fmt::format("{} {} = {};", text_.type, name,
                       instruction.negative ? fmt::format("-({})", value) : value));
    } else {
      Line(fmt::format("{} = {};", name, Contribution(instruction, name, value)));
    }
    Keep(name);
  }

  std::string Contribution(const Instruction& instruction, const std::string& name,
                           const std::string& value) const {
    if (instruction.combine == Combine::Product) return fmt::format("{} * ({})", name, value);
    const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
    if (binary != nullptr && *binary == BinaryOp::Mul) {
      return fmt::format("{}({}, {}, {})", instruction.negative ? "MulSub" : "MulAdd",
                         names_[instruction.operands[0].index],
                         names_[instruction.operands[1].index], name);
    }
    const bool copies = std::holds_alternative<kernel::Copy>(instruction.operation);
    return fmt::format(fmt::runtime(copies ? "{} {} {}" : "{} {} ({})"), name,
                       instruction.negative ? '-' : '+', value);
  }

  std::string AsPack(const std::string& vector) const {
    return fmt::format("{}({})", text_.type, vector);
  }

  std::string ValueText(const Instruction& instruction) const {
    std::vector<std::string> operands;
    bool any_pack = false;
    for (ValueId operand : instruction.operands) {
      operands.push_back(names_[operand.index]);
      any_pack = any_pack || !IsUniform(body_.values[operand]);
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
          return op == UnaryOp::Plus ? operands[0] : fmt::format("{}{}", ToString(op), operands[0]);
        },
        [&](BinaryOp op) {
          const std::string_view sign =
              op == BinaryOp::And ? "&" : (op == BinaryOp::Or ? "|" : ToString(op));
          return fmt::format("{} {} {}", operands[0], sign, operands[1]);
        },
        [&](Function which) { return FunctionText(which, operands); },
        [&](kernel::Select) { return fmt::format("Select({})", fmt::join(operands, ", ")); },
        [&](kernel::Convert) { return operands[0]; });
  }

  static std::string FunctionText(Function function, const std::vector<std::string>& operands) {
    const std::string_view name = function == Function::Min    ? "PackMin"
                                  : function == Function::Max  ? "PackMax"
                                  : function == Function::Sqrt ? "PackSqrt"
                                  : function == Function::Fma  ? "MulAdd"
                                                               : "PackFabs";
    return fmt::format("{}({})", name, fmt::join(operands, ", "));
  }

  void StoreResults(ValueId value) {
    const graph::Array& array = model_.graph().arrays[model_.graph().versions[op_.result].array];
    const std::string& buffer = model_.Name(model_.plan().buffer_of[op_.result.index]);
    for (const kernel::Result& result : body_.results) {
      if (result.value != value) continue;
      const auto& offset = body_.statements[static_cast<std::size_t>(result.statement)].offset;
      std::vector<graph::Index> target = op_.target;
      for (graph::Index& index : target) {
        index.offset = index.offset + offset[PlaceOf(index.iterator)];
      }
      Line(fmt::format("Store({}, {});", (Variable(buffer) + Position(array, target)).text,
                       names_[value.index]));
    }
  }

  const ProgramModel& model_;
  const graph::Operator& op_;
  const kernel::Body& body_;
  const FetchPlan& plan_;
  const VectorStyle& style_;
  OperatorCode& code_;
  kernel::Uses uses_;
  std::string_view type_;
  std::vector<std::string> names_;  ///< by value; empty where it has none yet
  std::map<std::string, std::string> rows_;
  std::map<ValueId, std::size_t> table_places_;
  std::vector<std::string> table_;
  std::string table_name_, pointer_name_;
  VectorText text_;
};

bool HasFunction(Function function) {
  return function == Function::Min || function == Function::Max || function == Function::Abs ||
         function == Function::Fabs || function == Function::Sqrt || function == Function::Fma;
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
  const bool plain = std::all_of(op.target.begin(), op.target.end(), graph::IsPlain);
  if (!plain || !unit_stride(op.target) || op.target.back().iterator != along) return false;
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, op);
  return std::all_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    const auto& access = std::get<graph::Access>(graph.exprs[id].node);
    return unit_stride(access.indices) &&
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

VectorText PrintVectors(const ProgramModel& model, const graph::Operator& op,
                        const kernel::Body& body, const FetchPlan& plan, const VectorStyle& style,
                        OperatorCode& code) {
  return VectorPrinter(model, op, body, plan, style, code).Print();
}

}  // namespace stencilgen::codegen::cpp
