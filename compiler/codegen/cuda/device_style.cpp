#include "codegen/cuda/device_style.h"

#include <fmt/format.h>

namespace stencilgen::codegen::cuda {

OperatorStyle DeviceStyle(const ProgramModel& model) {
  OperatorStyle style;
  style.index_is_int = model.FitsIntIndex();
  style.exact_products = model.options().fp == FpMode::Strict;
  style.element = [&model](plan::BufferId buffer, const std::string& position) {
    const std::string& constant = model.ConstantName(buffer);
    return fmt::format("{}[{}]", constant.empty() ? model.Name(buffer) : constant, position);
  };
  return style;
}

}  // namespace stencilgen::codegen::cuda
