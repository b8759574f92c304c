#pragma once

#include <string>
#include <vector>

#include "passes/reorder.h"
#include "plan/plan.h"

namespace stencilgen::codegen {

enum class FpMode { Fast, Strict };

struct CodegenOptions {
  std::string function = "program";  ///< host function's name, a C identifier
  FpMode fp = FpMode::Fast;
  passes::ReorderOptions reorder =
      {};  ///< of straight-line code; Requires: FpMode::Fast but for None
  /// CUDA: the orders of kernels one by one, by kernel; empty: reorder.how for each.
  std::vector<passes::Reorder> kernel_orders = {};
  bool distribute = false;  ///< any factor over sums before reordering, not only where that is free
  /// C++: how many points are computed together is chosen where that pays; else kernels' schedules
  /// say it.
  bool choose_points = false;
  /// C++: points of a tile by the program's iterators; 0: not tiled. A statement's first iterator
  /// never is: its threads share that.
  std::vector<int> tile = {};
  int threads = 0;         ///< C++: of a loop; 0: as OpenMP sees fit
  int registers = 0;       ///< at most so many a thread (CUDA 12.4 or later); 0: as nvcc sees fit
  bool resident = false;   ///< also emit what keeps arrays between runs, NAME_arrays
  bool standalone = true;  ///< inline the runtime headers instead of including them
  std::string
      command_line;   ///< for the header comment, e.g. `stencilgen j2d5pt.idsl --blockdim x=32`
  std::string tuned;  ///< for the header comment: where options come from
  std::string source_name;             ///< base name of the program's file
  const SourceFile* source = nullptr;  ///< for comments with source lines; may be null
  /// One of several programs of a file: no banner and no runtime headers. What is not `exported`
  /// no other file sees.
  bool part = false;
  bool exported = true;
};

/// How the kernel's instructions are ordered.
passes::ReorderOptions OrderOf(const CodegenOptions& options, plan::KernelId kernel);

/// The straight-line code of each kernel, before and after it is reordered, with the most values
/// that live at once, of a tile's operators beside the planes that it holds; of C++ code, what is
/// computed in vectors; and its structured code, as the printers of files get it. Requires: as
/// emitting.
std::string PrintKernels(const plan::Plan& plan, const CodegenOptions& options, bool cuda);

/// One self-contained `.cu` file: kernels, NAME (host pointers), NAME_device (device pointers and
/// a stream), NAME_error. language.md section 7. Deterministic.
std::string EmitCuda(const plan::Plan& plan, const CodegenOptions& options);

/// One self-contained `.cpp` file: a loop nest an operator, OpenMP over the outermost loop, and
/// NAME, NAME_error.
std::string EmitCpp(const plan::Plan& plan, const CodegenOptions& options);

/// The header for C and C++ declaring what the file of that target defines.
std::string EmitHeader(const plan::Plan& plan, const CodegenOptions& options, bool cuda);

/// Text to append to an emitted file so that a program that does not know the signature can call
/// it through dlsym:
///   extern "C" int NAME_call(void* const* arrays, const void* const* scalars, const int* params);
/// arrays in declaration order (rank > 0), scalars in declaration order (pointer to one element of
/// its type), parameters in declaration order. For CUDA also
///   extern "C" int NAME_time(... same ..., int warmups, int repeats, double* milliseconds);
/// which uploads once, then times NAME_device with events, one value a repeat, and
///   extern "C" int NAME_launch(... same ..., cudaStream_t stream);
/// NAME_device with arrays of device memory. For C++ NAME_time times NAME itself.
std::string EmitTrampoline(const plan::Plan& plan, const CodegenOptions& options, bool cuda);

}  // namespace stencilgen::codegen
