#include "lower/options.h"

namespace stencilgen::lower {

passes::ReorderOptions OrderOf(const Options& options, plan::KernelId kernel) {
  passes::ReorderOptions order = options.reorder;
  if (!options.kernel_orders.empty()) order.how = options.kernel_orders[kernel.index];
  return order;
}

}  // namespace stencilgen::lower
