#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/program_model.h"
#include "kernel/code.h"
#include "support/code_writer.h"

namespace stencilgen::codegen {

/// The ends of the intervals of an operator's domain, in terms of `form`.
kernel::Expr LowerOf(const graph::Interval& interval,
                     const std::function<kernel::Expr(const graph::LinearForm&)>& form);
kernel::Expr UpperOf(const graph::Interval& interval,
                     const std::function<kernel::Expr(const graph::LinearForm&)>& form);

/// `N >= 3 && M >= 2`-like condition of the domain's guards; invalid where it has none.
kernel::Expr GuardOf(const graph::Domain& domain,
                     const std::function<kernel::Expr(const graph::LinearForm&)>& form);

enum class HostFunction {
  Host,   ///< NAME: host pointers
  Device  ///< NAME_device: device pointers and a stream
};

/// The parameters of a host function, in order: `const double* in`. `mark_unused`: arrays that the
/// program never touches are [[maybe_unused]], as a definition needs it.
std::vector<std::string> FunctionParameters(const ProgramModel& model, HostFunction function,
                                            bool mark_unused);

/// What stands before the definition of a host function: `extern "C"`, or `static`.
std::string Linkage(const CodegenOptions& options);

/// `extern "C" int NAME(...) {`, to open its definition.
std::string FunctionSignature(const ProgramModel& model, HostFunction function);

/// `Program`'s members: parameters, scalars and buffers.
std::string MemberDeclarations(const ProgramModel& model);

/// Hands the host function's scalars and parameters to `program`.
std::string MemberAssignments(const ProgramModel& model);

/// The body of `CheckArguments`: fixed and smallest values of parameters, iteration counts.
std::string ArgumentChecks(const ProgramModel& model);

/// Returns with an error where an array that the program touches is a null pointer.
std::string NullChecks(const ProgramModel& model, HostFunction function);

/// `Move moves[] = {...};` for the results that may end elsewhere than at home.
std::string MoveDeclarations(const ProgramModel& model);
/// The call that makes these moves. Requires: `copy` and `memory` stand before it.
std::string MoveHomeCall(const ProgramModel& model);

/// What the two targets do differently in the sequence of steps.
struct StepStyle {
  std::function<void(CodeWriter&, plan::KernelId)> launch;
  /// Arguments without stream.
  std::function<void(CodeWriter&, const std::string& function,
                     const std::vector<std::string>& arguments)>
      copy;
  /// One element of an array on the host; may write lines before the expression that uses it.
  std::function<kernel::Expr(CodeWriter&, plan::BufferId, const kernel::Expr& position)> element;
};

/// The plan's steps as statements of a member function of Program.
std::string StepStatements(const ProgramModel& model, const StepStyle& style);

/// A comment line for each kernel (CUDA) or loop nest (C++): what it writes, and how it runs.
std::string KernelComments(const ProgramModel& model, bool cuda);

/// The comment at the top of the file.
std::string Banner(const ProgramModel& model, bool cuda);

}  // namespace stencilgen::codegen
