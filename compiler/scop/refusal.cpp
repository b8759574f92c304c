#include "scop/refusal.h"

namespace stencilgen::scop {

Refusal RefusalOf(CXCursorKind statement) {
  switch (statement) {
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
      return {"a loop that is not `for`", "count its turns: for (int t = 0; t < steps; t++)"};
    case CXCursor_BreakStmt:
      return {"`break`", "loops of a region make all their turns"};
    case CXCursor_ContinueStmt:
      return {"`continue`", "put what follows into an `if`"};
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
      return {"`goto`", ""};
    case CXCursor_ReturnStmt:
      return {"`return`", "end the region before it"};
    case CXCursor_SwitchStmt:
      return {"`switch`", "write it with `if`"};
    case CXCursor_CXXForRangeStmt:
      return {"a loop over a range", "write it as `for (int i = 0; i < n; i++)`"};
    default:
      return {"this statement", "regions hold loops, conditions and assignments"};
  }
}

}  // namespace stencilgen::scop
