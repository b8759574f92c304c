#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "driver/kernel_compiler.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "plan/fusion.h"

namespace stencilgen::driver {

/// What `--fusion-recompile` asks for ([S] 3.5.9).
struct RecompileOptions {
  int bypass = 1;     ///< clusters of up to so many operators are fused without compiling them
  int max_spill = 0;  ///< bytes a thread may spill
};

/// Compiles the kernels of fusion's candidates and refuses those that spill. Candidates that come
/// next are compiled at the same time, on other cores; answers are remembered from run to run.
class Recompiler {
 public:
  /// Requires: compiler->Available().
  Recompiler(std::shared_ptr<KernelCompiler> compiler, CodegenOptions codegen,
             const RecompileOptions& options);

  /// The constraint, and what prepares its answers. They may outlive nothing but the recompiler.
  plan::FusionCheck Check();
  plan::FusionForesight Foresight();

  /// `12 candidates asked for, 15 compiled, 3 known`
  std::string Summary() const;

 private:
  bool IsBypassed(const plan::FusionProposal& proposal) const;
  std::optional<plan::FusionRefusal> Ask(const plan::FusionProposal& proposal);

  std::shared_ptr<KernelCompiler> compiler_;
  CodegenOptions codegen_;
  RecompileOptions options_;
  int asked_ = 0;
};

/// Has fusion ask ptxas where `--fusion-recompile` says so; null where it does not.
/// Requires: CheckNvcc found nothing.
std::shared_ptr<Recompiler> AskForSpills(const Options& options, PipelineOptions& pipeline);

/// CUDA code with one kernel of a plan and nothing that it does not need. Requires: options.source
/// and the like are the program's, or empty; they are left out.
std::string KernelText(const plan::Plan& plan, plan::KernelId kernel,
                       const CodegenOptions& options);
/// CUDA code with the kernel of the proposal and nothing that it does not need.
std::string KernelText(const plan::FusionProposal& proposal, const CodegenOptions& options);

}  // namespace stencilgen::driver
