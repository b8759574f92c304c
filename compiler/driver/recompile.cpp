#include "driver/recompile.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "driver/progress.h"
#include "lower/lower.h"
#include "plan/plan_fused.h"

namespace stencilgen::driver {

Recompiler::Recompiler(std::shared_ptr<KernelCompiler> compiler, CodegenOptions codegen,
                       const RecompileOptions& options)
    : compiler_(std::move(compiler)), codegen_(std::move(codegen)), options_(options) {}

bool Recompiler::IsBypassed(const plan::FusionProposal& proposal) const {
  return static_cast<int>(proposal.ops.size()) <= options_.bypass;
}

plan::FusionCheck Recompiler::Check() {
  return [this](const plan::FusionProposal& proposal) { return Ask(proposal); };
}

plan::FusionForesight Recompiler::Foresight() {
  return [this](const std::vector<plan::FusionProposal>& proposals) {
    std::vector<std::string> texts;
    for (const plan::FusionProposal& proposal : proposals) {
      if (!IsBypassed(proposal)) texts.push_back(KernelText(proposal, codegen_));
    }
    const Progress progress(fmt::format("compiling candidates for fusion, {} so far", asked_));
    compiler_->CompileAll(texts);
  };
}

std::optional<plan::FusionRefusal> Recompiler::Ask(const plan::FusionProposal& proposal) {
  if (IsBypassed(proposal)) return std::nullopt;
  ++asked_;
  const CompiledKernel kernel = compiler_->Compile(KernelText(proposal, codegen_));
  if (!kernel.error.empty()) {
    return plan::FusionRefusal{plan::FusionConstraint::Tile,
                               fmt::format("its kernel does not compile: {}", kernel.error)};
  }
  if (kernel.Spilled() <= options_.max_spill) return std::nullopt;
  return plan::FusionRefusal{
      plan::FusionConstraint::Spills,
      fmt::format("ptxas spills {} bytes with {} registers, {} may be spilled", kernel.Spilled(),
                  kernel.registers, options_.max_spill)};
}

std::string Recompiler::Summary() const {
  return fmt::format("{} candidates compiled for their spills: {} by nvcc, {} known from before",
                     asked_, compiler_->compiled(), compiler_->remembered());
}

std::shared_ptr<Recompiler> AskForSpills(const Options& options, PipelineOptions& pipeline) {
  if (!options.fusion_recompile) return nullptr;
  auto recompiler = std::make_shared<Recompiler>(
      std::make_shared<KernelCompiler>(ArchOf(options), CacheDirectory()), pipeline.codegen,
      RecompileOptions{options.recompile_bypass.value_or(1), options.max_spill.value_or(0)});
  pipeline.fusion_check = recompiler->Check();
  pipeline.fusion_foresight = recompiler->Foresight();
  return recompiler;
}

std::string KernelText(const plan::Plan& plan, plan::KernelId kernel,
                       const CodegenOptions& options) {
  plan::Plan one = plan;
  one.kernels = {};
  plan::Kernel wanted = plan.kernels[kernel];
  wanted.name = "candidate";
  one.steps = {plan::Launch{one.kernels.Add(std::move(wanted))}};
  CodegenOptions alone = options;
  // Places in the source would only keep equal kernels apart.
  alone.source = nullptr;
  alone.function = "candidate_program";
  alone.command_line.clear();
  alone.tuned.clear();
  alone.source_name.clear();
  alone.standalone = true;
  alone.part = false;
  alone.resident = false;
  return codegen::EmitCuda(lower::Lower(one, alone, kernel::Target::Device), alone);
}

std::string KernelText(const plan::FusionProposal& proposal, const CodegenOptions& options) {
  const plan::Plan plan = plan::PlanClusters(proposal.graph, proposal.schedule, {proposal.ops});
  for (plan::KernelId kernel : plan.kernels.Ids()) {
    const auto& ops = plan.kernels[kernel].ops;
    if (std::is_permutation(ops.begin(), ops.end(), proposal.ops.begin(), proposal.ops.end())) {
      return KernelText(plan, kernel, options);
    }
  }
  return "";
}

}  // namespace stencilgen::driver
