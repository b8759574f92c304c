// A block of no size.
double a[9];
void f(int n) {
#pragma stencilgen block:x
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = 0;
#pragma endscop
}
// ----
directive_block.c:4:26: error: `block`: x=x is not a block size [argument-value]
    4 | #pragma stencilgen block:x
      |                          ^
  hint: x is an integer from 1 to 1024
