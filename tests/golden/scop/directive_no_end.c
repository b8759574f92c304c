// A region without an end.
void f(void) {
#pragma scop
}
// ----
directive_no_end.c:3:1: error: this region has no `#pragma endscop` [missing-endscop]
    3 | #pragma scop
      | ^~~~~~~~~~~~
  hint: write `#pragma endscop` on a line after the loops
