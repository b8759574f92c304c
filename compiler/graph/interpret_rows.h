#pragma once

#include <cstddef>
#include <cstdint>

#include "support/functions.h"
#include "support/operators.h"
#include "support/scalar_type.h"

/// Elementwise operations on rows of `count` values: the arithmetic of the interpreter. Elements
/// are std::uint8_t (bool), std::int32_t, float or double. Results never overlap operands.
namespace stencilgen::graph {

/// Every element takes the value.
void FillRow(ScalarType type, double floating, std::int64_t integer, void* out, std::size_t count);
/// out[k] = first + k, as int wraps.
void IotaRow(std::int64_t first, std::int32_t* out, std::size_t count);
/// out[k] = in[k * step].
void GatherRow(ScalarType type, const void* in, std::int64_t step, void* out, std::size_t count);
/// out[k * step] = in[k].
void ScatterRow(ScalarType type, const void* in, void* out, std::int64_t step, std::size_t count);

/// Result of the operands' type, of Bool for Not.
void UnaryRow(UnaryOp op, ScalarType type, const void* in, void* out, std::size_t count);
/// Result of the operands' type, of Bool for comparisons and logical operators. Power is pow.
void BinaryRow(BinaryOp op, ScalarType type, const void* a, const void* b, void* out,
               std::size_t count);
/// a + b*c, or a*b + c where the product comes first; for Sub a difference. Two operations, each
/// rounded. Requires: the type is floating.
void ProductSumRow(BinaryOp op, bool product_first, ScalarType type, const void* a, const void* b,
                   const void* c, void* out, std::size_t count);
/// The product of `exponent` factors, from left to right; 1 where there is none.
void PowerRow(ScalarType type, const void* in, std::int64_t exponent, void* out, std::size_t count);
void SelectRow(ScalarType type, const std::uint8_t* condition, const void* then_value,
               const void* else_value, void* out, std::size_t count);
/// `b` and `c` are null where the function has fewer arguments.
void CallRow(Function function, ScalarType type, const void* a, const void* b, const void* c,
             void* out, std::size_t count);
/// As C converts; float to int saturates, and takes NaN to 0.
void ConvertRow(ScalarType from, const void* in, ScalarType to, void* out, std::size_t count);

}  // namespace stencilgen::graph
