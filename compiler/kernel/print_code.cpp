#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/code.h"
#include "kernel/parts.h"
#include "support/match.h"

namespace stencilgen::kernel {
namespace {

/// The lanes of vectors that a loop is made into: those of the narrowest elements that it names;
/// without any, of doubles. Square roots in vectors of 64 bytes are no faster than in those of 32,
/// and what else is in the loop waits for them: with one a point, loops are 5 % slower.
std::string LanesOf(const Block& body) {
  std::pair<int, std::string_view> narrowest = {SizeInBytes(Elementary::Double), "double"};
  for (const Var* var : NamedIn(body)) {
    if (var->storage == Storage::Value) continue;
    narrowest = std::min(narrowest, {ElementBytes(*var), ElementText(*var)});
  }
  const bool roots = Calls(body, stencilgen::Function::Sqrt);
  return fmt::format("kLoopLanes<{}>{}", narrowest.second, roots ? " / 2" : "");
}

class CodePrinter {
 public:
  CodePrinter(CodeWriter& writer, Target target) : writer_(writer), target_(target) {}

  void Print(const Block& block) {
    for (const Stmt& stmt : block.stmts) Print(stmt);
  }

 private:
  template <typename... Args>
  void Wrapped(fmt::format_string<Args...> text, Args&&... args) {
    WriteWrapped(writer_, fmt::format(text, std::forward<Args>(args)...));
  }

  void Print(const Stmt& stmt) {
    Match(
        stmt.what, [&](const LetStmt& each) { Wrapped("{}", LetText(each)); },
        [&](const DeclareStmt& each) { PrintDeclare(each); },
        [&](const SharedStmt& each) { PrintShared(each); },
        [&](const TableStmt& each) { PrintTable(each); },
        [&](const AssignStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const ForStmt& each) { PrintFor(each); },
        [&](const WhileStmt& each) {
          const auto loop = writer_.Block("while ({})", kernel::Print(each.condition));
          Print(each.body);
        },
        [&](const IfStmt& each) { PrintIf(each, ""); },
        [&](const ScopeStmt& each) {
          const auto scope = writer_.Block("");
          Print(each.body);
        },
        [&](const JumpStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const BarrierStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const CopyAsyncStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const CommitStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const WaitStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const LoadVectorStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const StoreVectorStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const RimPlaceStmt& each) {
          Wrapped("const RimPlace {} = PlaceInRim<{}, {}, {}, {}, {}, {}, {}>({});",
                  each.place->name, each.rows, each.columns, each.above, each.below, each.before,
                  each.after, each.corners, kernel::Print(each.number));
        },
        [&](const StorePackStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const PackStmt& each) {
          pack_ = each.name->name;
          const std::string_view type = ToString(each.name->type.of);
          if (each.vectors == 0) {
            Wrapped("using {} = Pack<{}>;", pack_, type);
          } else {
            Wrapped("using {} = Pack<{}, {}>;", pack_, type, each.vectors);
          }
          if (each.width != nullptr) {
            Wrapped("constexpr Index {} = {}::kWidth;", each.width->name, pack_);
          }
        },
        [&](const KeepStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const FenceStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const ProgressStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const CallStmt& each) {
          std::vector<std::string> arguments;
          for (const Expr& argument : each.arguments) arguments.push_back(kernel::Print(argument));
          WriteCall(writer_, each.function, arguments, ";");
        },
        [&](const FlopsStmt&) { Wrapped("{}", SimpleText(stmt)); },
        [&](const CommentStmt& each) { writer_.Line("// {}", each.text); });
  }

  /// Statements that fit behind a condition; empty for the others.
  static std::string SimpleText(const Stmt& stmt) {
    return Match(
        stmt.what,
        [](const AssignStmt& each) {
          const bool next = each.op == AssignOp::Add && NumberOf(each.value) == std::int64_t{1};
          if (next) return fmt::format("++{};", PrintTarget(each.target));
          return fmt::format("{} {} {};", PrintTarget(each.target), ToString(each.op),
                             kernel::Print(Stored(each)));
        },
        [](const JumpStmt& each) {
          return std::string(each.jump == Jump::Return     ? "return;"
                             : each.jump == Jump::Continue ? "continue;"
                                                           : "break;");
        },
        [](const BarrierStmt&) { return std::string("__syncthreads();"); },
        [](const CopyAsyncStmt& each) {
          return fmt::format("CopyAsync{}({}, {});",
                             each.elements > 1 ? fmt::format("<{}>", each.elements) : "",
                             kernel::Print(each.to), kernel::Print(each.from));
        },
        [](const CommitStmt&) { return std::string("CommitCopies();"); },
        [](const WaitStmt&) { return std::string("WaitForCopies<0>();"); },
        [](const LoadVectorStmt& each) {
          const auto& from = *each.from.As<AddressExpr>();
          return fmt::format("LoadVector({}, {}, {});", from.array->name,
                             kernel::Print(from.offset), each.values->name);
        },
        [](const StoreVectorStmt& each) {
          return fmt::format("StoreVector({}, {}, {});", each.array->name,
                             kernel::Print(each.position), each.values->name);
        },
        [](const StorePackStmt& each) {
          return fmt::format("Store({}, {});", kernel::Print(each.to), kernel::Print(each.value));
        },
        [](const KeepStmt& each) { return fmt::format("Keep({});", each.var->name); },
        [](const FenceStmt&) { return std::string("FenceStores();"); },
        [](const ProgressStmt&) { return std::string("MakeProgress();"); },
        [](const FlopsStmt& each) { return fmt::format("STENCILGEN_FLOPS({});", each.count); },
        [](const auto&) { return std::string(); });
  }

  /// What is assigned to narrow elements, which round by themselves what they are given.
  static Expr Stored(const AssignStmt& assign) {
    const auto* element = assign.target.As<ElementExpr>();
    const auto* call = assign.value.As<CallExpr>();
    if (element == nullptr || call == nullptr) return assign.value;
    const ElementFormat format = element->array->format;
    const auto* function = std::get_if<stencilgen::Function>(&call->callee);
    const bool rounds =
        function != nullptr &&
        ((format == ElementFormat::Half && *function == stencilgen::Function::RoundHalf) ||
         (format == ElementFormat::BFloat16 && *function == stencilgen::Function::RoundBFloat16));
    return rounds ? call->arguments.front() : assign.value;
  }

  std::string TypeText(const Var& var) const {
    const std::string_view type = ElementText(var);
    switch (var.storage) {
      case Storage::Value:
      case Storage::Registers:
        break;
      case Storage::Shared:
        return fmt::format("Shared<{}>", type);
      case Storage::Global:
      case Storage::Constant:
        return target_ == Target::Device ? "auto" : fmt::format("const {}* const", type);
    }
    if (var.type.width == Width::Vector) return fmt::format("Vector<{}>", type);
    if (var.type.width == Width::Pack) return var.type.of == Elementary::Bool ? "auto" : pack_;
    return std::string(type);
  }

  std::string LetText(const LetStmt& let) const {
    const bool pointer = let.var->storage == Storage::Global && target_ == Target::Host;
    return fmt::format("{}{} {} = {};", let.changes || pointer ? "" : "const ", TypeText(*let.var),
                       let.var->name, kernel::Print(let.value));
  }

  void PrintDeclare(const DeclareStmt& declare) {
    std::vector<std::string> names;
    for (const VarRef& var : declare.vars) {
      names.push_back(
          var->storage == Storage::Registers
              ? fmt::format("{}[{}]{}", var->name, var->count, declare.zero ? " = {}" : "")
              : fmt::format("{}{}", var->name, declare.zero ? " = 0" : ""));
    }
    Wrapped("{} {};", TypeText(*declare.vars.front()), fmt::join(names, ", "));
  }

  void PrintShared(const SharedStmt& shared) {
    const std::string_view type = ToString(shared.var->type.of);
    Wrapped("{}Shared<{}> {} = DynamicShared<{}>({}){};", shared.changes ? "" : "const ", type,
            shared.var->name, type, shared.bytes,
            shared.elements == 0 ? std::string() : fmt::format(" + {}", shared.elements));
  }

  void PrintTable(const TableStmt& table) {
    std::vector<std::string> values;
    for (const Expr& value : table.values) values.push_back(kernel::Print(value));
    const std::string count =
        table.var->storage == Storage::Registers ? fmt::format("{}", table.values.size()) : "";
    Wrapped("const {} {}[{}] = {{{}}};", ToString(table.var->type.of), table.var->name, count,
            fmt::join(values, ", "));
  }

  void PrintLoopKind(const ForStmt& loop) {
    if (loop.kind == LoopKind::Serial) return;
    if (loop.kind == LoopKind::Vector) {
      return writer_.Line("STENCILGEN_SIMD({})", LanesOf(loop.body));
    }
    if (loop.kind == LoopKind::Unrolled) {
      if (loop.unroll == 0) return writer_.Line("STENCILGEN_UNROLL");
      return writer_.Line("STENCILGEN_UNROLL_BY({})", loop.unroll);
    }
    const bool vectors = loop.kind == LoopKind::ParallelVector;
    const std::string_view name = vectors       ? "STENCILGEN_PARALLEL_FOR_SIMD"
                                  : loop.uneven ? "STENCILGEN_PARALLEL_TILES"
                                                : "STENCILGEN_PARALLEL_FOR";
    std::vector<std::string> arguments;
    if (vectors) arguments.push_back(LanesOf(loop.body));
    if (loop.threads > 0) arguments.push_back(fmt::format("{}", loop.threads));
    arguments.push_back(kernel::Print(loop.work));
    Wrapped("{}{}({})", name, loop.threads > 0 ? "_ON" : "", fmt::join(arguments, ", "));
  }

  void PrintFor(const ForStmt& loop) {
    constexpr std::size_t kWidth = 92;
    PrintLoopKind(loop);
    const std::string& name = loop.var->name;
    const std::string first = loop.first.Valid()
                                  ? fmt::format("{} {} = {}", ToString(loop.var->type.of), name,
                                                kernel::Print(loop.first))
                                  : std::string();
    const std::string step = NumberOf(loop.step) == std::int64_t{1}
                                 ? fmt::format("++{}", name)
                                 : fmt::format("{} += {}", name, kernel::Print(loop.step));
    const std::string rest =
        fmt::format("{} {} {}; {}", name, loop.below ? "<" : "<=", kernel::Print(loop.last), step);
    if (first.size() + rest.size() + 9 > kWidth) {
      writer_.Line("for ({};", first);
      const auto body = writer_.Block("     {})", rest);
      return Print(loop.body);
    }
    const auto body = writer_.Block("for ({}; {})", first, rest);
    Print(loop.body);
  }

  void PrintIf(const IfStmt& branch, std::string_view before) {
    const std::string condition = kernel::Print(branch.condition);
    if (branch.then_block.stmts.size() == 1 && branch.else_block.stmts.empty()) {
      const std::string text = SimpleText(branch.then_block.stmts.front());
      if (!text.empty()) return Wrapped("{}if ({}) {}", before, condition, text);
    }
    {
      const auto then_block = writer_.Block("{}if ({})", before, condition);
      Print(branch.then_block);
    }
    if (branch.else_block.stmts.empty()) return;
    if (branch.else_block.stmts.size() == 1) {
      const auto* next = std::get_if<IfStmt>(&branch.else_block.stmts.front().what);
      if (next != nullptr) return PrintIf(*next, "else ");
    }
    const auto else_block = writer_.Block("else");
    Print(branch.else_block);
  }

  CodeWriter& writer_;
  Target target_;
  std::string pack_ = "Values";  ///< name of the type of packs
};

}  // namespace

void Print(CodeWriter& writer, const Block& block, Target target) {
  CodePrinter(writer, target).Print(block);
}

std::string Print(const Block& block) {
  CodeWriter writer;
  Print(writer, block, Target::Host);
  return writer.str();
}

}  // namespace stencilgen::kernel
