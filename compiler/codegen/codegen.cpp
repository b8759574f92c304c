#include "codegen/codegen.h"

namespace stencilgen::codegen {

std::string EmitFile(const kernel::Module& module, const FileOptions& options) {
  return module.target == kernel::Target::Device ? EmitCuda(module, options)
                                                 : EmitCpp(module, options);
}

}  // namespace stencilgen::codegen
