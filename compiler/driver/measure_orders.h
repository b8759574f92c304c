#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "driver/kernel_compiler.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "passes/reorder.h"
#include "plan/plan.h"

namespace stencilgen::driver {

/// What ptxas makes of a kernel in one order.
struct MeasuredOrder {
  passes::Reorder how = passes::Reorder::Auto;
  CompiledKernel kernel;
};
/// The orders of a kernel that differ, the best first.
struct OrderChoice {
  std::string kernel;
  std::vector<MeasuredOrder> orders;
};

/// True where `a` is to be preferred: fewer bytes are spilled; then fewer registers, in steps of
/// the eight in which GPUs give them out. What does not compile loses.
bool IsBetter(const CompiledKernel& a, const CompiledKernel& b);

/// Compiles the kernels of a plan in every order there is, for `--reorder auto` ([S] 4.4, 5.4:
/// which scheduler is better depends on what the compiler does with its registers, too). Kernels
/// that it has seen before, in this plan or another, it remembers. Requires: the options of all
/// calls ask for the same code, but for what KernelText leaves out and for reorder.how.
class OrderMeasurer {
 public:
  /// `arch`: `sm_90`.
  explicit OrderMeasurer(std::string arch) : arch_(std::move(arch)) {}

  /// For CodegenOptions::kernel_orders: by kernel, Auto where none is better than the order of the
  /// smallest static score. Empty where there is nothing to choose, and no compiler to ask.
  std::vector<passes::Reorder> Choose(const plan::Plan& plan, const CodegenOptions& options);

  /// For PipelineOptions::count_spills: what the best orders spill. Empty as Choose.
  std::vector<int> Spills(const plan::Plan& plan, const CodegenOptions& options);

  /// A line a kernel about the last choice, for `--explain`.
  std::string Explanation() const;
  const std::vector<OrderChoice>& choices() const { return choices_; }

 private:
  /// Puts the kernels' orders into known_. `own`: by kernel of the plan, its key.
  void Measure(const plan::Plan& plan, const std::vector<plan::KernelId>& kernels,
               const std::vector<std::string>& own, const CodegenOptions& options);

  std::string arch_;
  std::unique_ptr<KernelCompiler> compiler_;  ///< from the first choice on
  /// By the kernel's text in the program's own order: those that differ, the best first.
  std::map<std::string, std::vector<MeasuredOrder>> known_;
  std::vector<OrderChoice> choices_;
};

/// Has the pipeline ask ptxas where the options leave the orders to it; null where they do not, and
/// where there is no nvcc.
std::shared_ptr<OrderMeasurer> MeasureOrders(const Options& options, PipelineOptions& pipeline);

}  // namespace stencilgen::driver
