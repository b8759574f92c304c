#pragma once

#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "kernel/module.h"
#include "support/code_writer.h"

namespace stencilgen::codegen {

/// Element type with `const` where nothing writes it.
std::string ElementType(const kernel::Buffer& buffer);

/// `Shape(M, N)`
std::string ShapeText(const std::vector<kernel::Expr>& extents);
/// `Shape(program.M, program.N)`: the same outside Program.
std::string MemberShapeText(const std::vector<kernel::Expr>& extents);

enum class HostFunction {
  Host,   ///< NAME: host pointers
  Device  ///< NAME_device: device pointers and a stream
};

/// The parameters of a host function, in order: `const double* in`. `mark_unused`: arrays that the
/// program never touches are [[maybe_unused]], as a definition needs it.
std::vector<std::string> FunctionParameters(const kernel::Module& module,
                                            const FileOptions& options, HostFunction function,
                                            bool mark_unused);

/// How a file for a GPU becomes a program: the command without names of files. `arch`: for HIP.
std::string CompileCommand(GpuLanguage language, std::string_view arch);
/// The same of a file for ranks of MPI, in CUDA.
std::string CompileCommandForRanks();

/// What stands before the definition of a host function: `extern "C"`, or `static`.
std::string Linkage(const FileOptions& options);

/// `extern "C" int NAME(...) {`, to open its definition.
std::string FunctionSignature(const kernel::Module& module, const FileOptions& options,
                              HostFunction function);

/// `Program`'s members: parameters, scalars and buffers.
std::string MemberDeclarations(const kernel::Module& module);

/// Hands the host function's scalars and parameters to `program`.
std::string MemberAssignments(const kernel::Module& module);

/// The body of `CheckArguments`: fixed and smallest values of parameters, iteration counts.
std::string ArgumentChecks(const kernel::Module& module);

/// Returns with an error where an array that the program touches is a null pointer.
std::string NullChecks(const kernel::Module& module, HostFunction function);

/// Pointers to the parts of arrays whose parts are memory of their own to the program:
/// `double* const u_1 = Part(u, 1, Shape(M, N));`.
std::string PartPointers(const kernel::Module& module, HostFunction function);

/// `Move moves[] = {...};` for the results that may end elsewhere than at home.
std::string MoveDeclarations(const kernel::Module& module);
/// The call that makes these moves. Requires: `copy` and `memory` stand before it.
std::string MoveHomeCall(const kernel::Module& module);

/// A comment line for each kernel (CUDA) or loop nest (C++): what it writes, and how it runs.
std::string KernelComments(const kernel::Module& module);

/// The comment at the top of the file.
std::string Banner(const kernel::Module& module, const FileOptions& options);

}  // namespace stencilgen::codegen
