#pragma once

#include <string>

#include "kernel/module.h"
#include "support/gpu_language.h"

namespace stencilgen::codegen {

/// What an emitted file says beside the program's code.
struct FileOptions {
  std::string function = "program";  ///< host function's name, a C identifier
  bool resident = false;             ///< also emit what keeps arrays between runs, NAME_arrays
  bool standalone = true;            ///< inline the runtime headers instead of including them
  GpuLanguage language = GpuLanguage::Cuda;  ///< of code for a device. Hip: Requires: standalone
  std::string arch;                          ///< Hip: the GPU that hipcc has to be told; else empty
  std::string
      command_line;   ///< for the header comment, e.g. `stencilgen j2d5pt.idsl --blockdim x=32`
  std::string tuned;  ///< for the header comment: where options come from
  std::string source_name;  ///< base name of the program's file
  /// One of several programs of a file: no banner and no runtime headers. What is not `exported`
  /// no other file sees.
  bool part = false;
  bool exported = true;
};

/// The module for a device as one self-contained file in CUDA C++ or HIP C++: kernels, NAME (host
/// pointers), NAME_device (device pointers and a stream), NAME_error. Deterministic. Requires: a
/// module for a device.
std::string EmitCuda(const kernel::Module& module, const FileOptions& options);

/// The module for the host as one self-contained `.cpp` file: a function a loop nest, OpenMP over
/// the outermost loop, and NAME, NAME_error. Requires: a module for the host.
std::string EmitCpp(const kernel::Module& module, const FileOptions& options);

/// EmitCuda or EmitCpp, as the module's target is.
std::string EmitFile(const kernel::Module& module, const FileOptions& options);

/// The header for C and C++ declaring what the module's file defines.
std::string EmitHeader(const kernel::Module& module, const FileOptions& options);

/// Text to append to an emitted file so that a program that does not know the signature can call
/// it through dlsym:
///   extern "C" int NAME_call(void* const* arrays, const void* const* scalars, const int* params);
/// arrays in declaration order (rank > 0), scalars in declaration order (pointer to one element of
/// its type), parameters in declaration order. For CUDA also
///   extern "C" int NAME_time(... same ..., int warmups, int repeats, double* milliseconds);
/// which uploads once, then times NAME_device with events, one value a repeat, and
///   extern "C" int NAME_launch(... same ..., cudaStream_t stream);
/// NAME_device with arrays of device memory. For C++ NAME_time times NAME itself.
std::string EmitTrampoline(const kernel::Module& module, const FileOptions& options);

}  // namespace stencilgen::codegen
