#pragma once

#include "kernel/bytecode.h"

/// Instructions that compute: operands a, b, c to dest, `lanes` values each. What comes of a value
/// that is not set is not set.
namespace stencilgen::kernel::bytecode {

/// Of operands of that type; comparisons and Not give bool. Logical operators are of bool and
/// evaluate both sides. Null where the type has no such operation, which Power never has.
Handler UnaryHandler(UnaryOp op, Elementary type);
Handler BinaryHandler(BinaryOp op, Elementary type);
/// Null where the function is not of that type.
Handler FunctionHandler(stencilgen::Function function, Elementary type);
/// a * b + c and c - a * b, rounded twice: what packs do. Of floating types.
Handler MulAddHandler(Elementary type);
Handler MulSubHandler(Elementary type);
/// Routines whose arguments have that type: of the language and of positions, IntPower with the
/// exponent as the instruction's number. Null for the others.
Handler RoutineHandler(Routine routine, Elementary type);
/// Null where the cells stay as they are.
Handler ConvertHandler(Elementary to, Elementary from);

}  // namespace stencilgen::kernel::bytecode
