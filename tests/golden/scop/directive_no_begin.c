// An end without a region.
void f(void) {
#pragma endscop
}
// ----
directive_no_begin.c:3:1: error: no `#pragma scop` stands before this `endscop` [missing-scop]
    3 | #pragma endscop
      | ^~~~~~~~~~~~~~~
