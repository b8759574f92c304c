#include "driver/measure_orders.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/host_library.h"
#include "driver/progress.h"
#include "driver/recompile.h"

namespace stencilgen::driver {
namespace {

using passes::Reorder;

/// Unrolled is the program's own order, in which the compiler may move what it likes. The first of
/// equals is taken.
constexpr std::array<Reorder, 5> kOrders = {
    Reorder::Auto, Reorder::Trees, Reorder::LarsCoefficients, Reorder::LarsRows, Reorder::Unrolled};

std::string_view NameOf(Reorder how) {
  constexpr std::array<std::string_view, 7> kNames = {
      "none", "trees", "lars", "least live", "as written", "lars by rows", "lars by coefficients"};
  return kNames[static_cast<std::size_t>(how)];
}

std::tuple<bool, int, int> MeritOf(const CompiledKernel& kernel) {
  constexpr int kStep = 8;
  return {!kernel.error.empty(), kernel.spill_stores + kernel.spill_loads,
          (kernel.registers + kStep - 1) / kStep};
}

std::string OrderText(const MeasuredOrder& order) {
  if (!order.kernel.error.empty()) {
    return fmt::format("{}: {}", NameOf(order.how), order.kernel.error);
  }
  return fmt::format("{}: {} bytes spilled with {} registers", NameOf(order.how),
                     order.kernel.spill_stores + order.kernel.spill_loads, order.kernel.registers);
}

/// CUDA code with the kernel in that order.
std::string TextIn(Reorder how, const plan::Plan& plan, plan::KernelId kernel,
                   const CodegenOptions& options) {
  CodegenOptions ordered = options;
  ordered.reorder.how = how;
  return KernelText(plan, kernel, ordered);
}

}  // namespace

bool IsBetter(const CompiledKernel& a, const CompiledKernel& b) {
  return MeritOf(a) < MeritOf(b);
}

std::vector<Reorder> OrderMeasurer::Choose(const plan::Plan& plan, const CodegenOptions& options) {
  choices_.clear();
  if (options.reorder.how != Reorder::Auto || plan.kernels.empty()) return {};
  if (!compiler_) compiler_ = std::make_unique<KernelCompiler>(arch_, CacheDirectory());
  if (!compiler_->Available()) return {};
  // A kernel's text in the program's own order says all of it, and takes no time to make.
  std::vector<std::string> own;
  std::vector<plan::KernelId> fresh;
  for (const plan::KernelId kernel : plan.kernels.Ids()) {
    own.push_back(TextIn(Reorder::Unrolled, plan, kernel, options));
    if (known_.try_emplace(own.back()).second) fresh.push_back(kernel);
  }
  Measure(plan, fresh, own, options);
  std::vector<Reorder> orders;
  for (const plan::KernelId kernel : plan.kernels.Ids()) {
    choices_.push_back({plan.kernels[kernel].name, known_.at(own[kernel.index])});
    orders.push_back(choices_.back().orders.front().how);
  }
  return orders;
}

void OrderMeasurer::Measure(const plan::Plan& plan, const std::vector<plan::KernelId>& kernels,
                            const std::vector<std::string>& own, const CodegenOptions& options) {
  if (kernels.empty()) return;
  // Texts of all kernels, each once, in the order in which they are found.
  std::vector<std::string> texts;
  std::map<std::string, std::size_t> place_of;
  struct Wanted {
    plan::KernelId kernel;
    Reorder how;
    std::size_t text;
  };
  std::vector<Wanted> wanted;
  for (const plan::KernelId kernel : kernels) {
    for (const Reorder how : kOrders) {
      const auto [at, is_new] = place_of.try_emplace(
          how == Reorder::Unrolled ? own[kernel.index] : TextIn(how, plan, kernel, options),
          texts.size());
      if (is_new) texts.push_back(at->first);
      const std::size_t text = at->second;
      const bool same = std::any_of(wanted.begin(), wanted.end(), [&](const Wanted& other) {
        return other.kernel == kernel && other.text == text;
      });
      if (!same) wanted.push_back({kernel, how, text});
    }
  }
  const Progress progress(fmt::format("asking ptxas for the best of {} orders", texts.size()));
  const std::vector<CompiledKernel> compiled = compiler_->CompileAll(texts);
  for (const Wanted& each : wanted) {
    known_[own[each.kernel.index]].push_back({each.how, compiled[each.text]});
  }
  for (const plan::KernelId kernel : kernels) {
    std::vector<MeasuredOrder>& orders = known_[own[kernel.index]];
    std::stable_sort(orders.begin(), orders.end(),
                     [](const MeasuredOrder& a, const MeasuredOrder& b) {
                       return IsBetter(a.kernel, b.kernel);
                     });
  }
}

std::vector<int> OrderMeasurer::Spills(const plan::Plan& plan, const CodegenOptions& options) {
  constexpr int kFails = 1 << 20;
  std::vector<int> spills;
  if (Choose(plan, options).empty()) return spills;
  for (const OrderChoice& choice : choices_) {
    const CompiledKernel& best = choice.orders.front().kernel;
    spills.push_back(best.error.empty() ? best.spill_stores + best.spill_loads : kFails);
  }
  return spills;
}

std::string OrderMeasurer::Explanation() const {
  std::string text;
  for (const OrderChoice& choice : choices_) {
    std::vector<std::string> orders;
    for (const MeasuredOrder& order : choice.orders) orders.push_back(OrderText(order));
    text += fmt::format("  order of {} by ptxas: {}\n", choice.kernel, fmt::join(orders, "; "));
  }
  return text;
}

std::shared_ptr<OrderMeasurer> MeasureOrders(const Options& options, PipelineOptions& pipeline) {
  if (options.reorder != Reorder::Auto || options.reorder_score == ReorderScore::Static ||
      options.command == Command::Tune || LanguageOf(options) == GpuLanguage::Hip ||
      FindCompiler(Backend::Cuda).empty()) {
    return nullptr;
  }
  auto orders = std::make_shared<OrderMeasurer>(ArchOf(options));
  pipeline.choose_orders = [orders](const plan::Plan& plan, const CodegenOptions& codegen) {
    return orders->Choose(plan, codegen);
  };
  pipeline.count_spills = [orders](const plan::Plan& plan, const CodegenOptions& codegen) {
    return orders->Spills(plan, codegen);
  };
  return orders;
}

}  // namespace stencilgen::driver
