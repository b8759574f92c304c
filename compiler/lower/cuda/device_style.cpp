#include "lower/cuda/device_style.h"

namespace stencilgen::lower::cuda {

OperatorStyle DeviceStyle(const ProgramModel& model) {
  OperatorStyle style;
  style.index_is_int = model.FitsIntIndex();
  style.exact_products = model.options().fp == FpMode::Strict;
  style.fast_division = !style.exact_products;
  style.element = [&model](plan::BufferId buffer, const kernel::Expr& position) {
    return kernel::ElementAt(model.DeviceVar(buffer), position);
  };
  return style;
}

}  // namespace stencilgen::lower::cuda
