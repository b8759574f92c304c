#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/codegen.h"
#include "codegen/embedded_block.h"
#include "frontend/embedded_blocks.h"
#include "scop/read_scops.h"
#include "support/fp_mode.h"

namespace stencilgen::driver {

struct CompiledBlock {
  codegen::EmbeddedBlockText text;
  FpMode fp = FpMode::Fast;
  bool ranks = false;  ///< it is for ranks of MPI
};

/// The code for one block; `complex` are names of its program, `scop` is what was read of it, where
/// it was code. `is_c`: the file that calls it is compiled as C. `ranks`: what it calls instead of
/// the module. Requires: options.part.
CompiledBlock EmitBlock(const kernel::Module& module, const SourceFile& source,
                        const EmbeddedBlock& block, const std::set<std::string>& complex,
                        const scop::ScopProgram* scop, bool is_c,
                        const codegen::FileOptions& options, FpMode fp,
                        std::optional<codegen::RanksCode> ranks = {});

struct FileStyle {
  std::string output;        ///< the name of the file that is written, for `#line`
  std::string command_line;  ///< for the comment at its top
  bool cuda = true;
  bool standalone = true;  ///< inline the runtime headers instead of including them
  GpuLanguage language = GpuLanguage::Cuda;
  std::string arch = {};  ///< of a GPU
  /// Where the output is C: the name of the file with the definitions, which it is linked with.
  std::string program_file = {};
};

/// The C or C++ file with definitions inserted, and a call in the place of each block. All other
/// text is as it was, and belongs by `#line` to the line it has in the original. A file without
/// blocks comes back as it is.
/// Requires: one compiled block for each block of the file.
std::string AssembleFile(const SourceFile& source, const EmbeddedFile& file,
                         const std::vector<CompiledBlock>& compiled, const FileStyle& style);

/// The file with the definitions for a file that is C, which calls them.
/// Requires: style.program_file.
std::string ProgramFile(const SourceFile& source, const std::vector<CompiledBlock>& compiled,
                        const FileStyle& style);

}  // namespace stencilgen::driver
