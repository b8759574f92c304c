// An option that is not known.
double a[9];
void f(int n) {
#pragma stencilgen blok:32
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = 0;
#pragma endscop
}
// ----
directive_options.c:4:20: error: `blok` is no argument of a block [unknown-argument]
    4 | #pragma stencilgen blok:32
      |                    ^~~~
  hint: did you mean `block`?
