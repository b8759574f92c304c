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

}  // namespace

bool IsBetter(const CompiledKernel& a, const CompiledKernel& b) {
  return MeritOf(a) < MeritOf(b);
}

std::vector<Reorder> OrderMeasurer::Choose(const plan::Plan& plan,
                                           const codegen::CodegenOptions& options) {
  choices_.clear();
  if (options.reorder.how != Reorder::Auto) return {};
  // Texts of all kernels, each once, in the order in which they are found.
  std::vector<std::string> texts;
  std::map<std::string, std::size_t> place_of;
  struct Wanted {
    plan::KernelId kernel;
    Reorder how;
    std::size_t text;
  };
  std::vector<Wanted> wanted;
  for (plan::KernelId kernel : plan.kernels.Ids()) {
    if (!compiler_) compiler_ = std::make_unique<KernelCompiler>(arch_, CacheDirectory());
    if (!compiler_->Available()) return {};
    for (const Reorder how : kOrders) {
      codegen::CodegenOptions ordered = options;
      ordered.reorder.how = how;
      const auto [at, is_new] =
          place_of.try_emplace(KernelText(plan, kernel, ordered), texts.size());
      if (is_new) texts.push_back(at->first);
      const std::size_t text = at->second;
      const bool same = std::any_of(wanted.begin(), wanted.end(), [&](const Wanted& other) {
        return other.kernel == kernel && other.text == text;
      });
      if (!same) wanted.push_back({kernel, how, text});
    }
  }
  if (wanted.empty()) return {};
  std::vector<CompiledKernel> compiled;
  {
    const Progress progress(fmt::format("asking ptxas for the best of {} orders", texts.size()));
    compiled = compiler_->CompileAll(texts);
  }
  std::vector<Reorder> orders(plan.kernels.size(), Reorder::Auto);
  for (std::size_t k = 0; k < wanted.size();) {
    const plan::KernelId kernel = wanted[k].kernel;
    OrderChoice choice{plan.kernels[kernel].name, {}};
    for (; k < wanted.size() && wanted[k].kernel == kernel; ++k) {
      choice.orders.push_back({wanted[k].how, compiled[wanted[k].text]});
    }
    std::stable_sort(choice.orders.begin(), choice.orders.end(),
                     [](const MeasuredOrder& a, const MeasuredOrder& b) {
                       return IsBetter(a.kernel, b.kernel);
                     });
    orders[kernel.index] = choice.orders.front().how;
    choices_.push_back(std::move(choice));
  }
  return orders;
}

std::vector<int> OrderMeasurer::Spills(const plan::Plan& plan,
                                       const codegen::CodegenOptions& options) {
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
      options.command == Command::Tune || FindCompiler(Backend::Cuda).empty()) {
    return nullptr;
  }
  auto orders = std::make_shared<OrderMeasurer>(ArchOf(options));
  pipeline.choose_orders = [orders](const plan::Plan& plan,
                                    const codegen::CodegenOptions& codegen) {
    return orders->Choose(plan, codegen);
  };
  pipeline.count_spills = [orders](const plan::Plan& plan, const codegen::CodegenOptions& codegen) {
    return orders->Spills(plan, codegen);
  };
  return orders;
}

}  // namespace stencilgen::driver
