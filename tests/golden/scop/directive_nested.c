// A region in a region.
void f(void) {
#pragma scop
#pragma scop
  ;
#pragma endscop
}
// ----
directive_nested.c:4:1: error: a region begins inside of another one [nested-scop]
    4 | #pragma scop
      | ^~~~~~~~~~~~
directive_nested.c:3:1: note: this one has not ended
    3 | #pragma scop
      | ^~~~~~~~~~~~
  hint: end it with `#pragma endscop` before the next one begins
