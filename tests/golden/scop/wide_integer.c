// An integer other than int in a value.
long wide; double a[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = a[i] * (wide + 1);
#pragma endscop
}
// ----
wide_integer.c:5:46: error: this is computed in an integer type other than `int`, which stencil programs have not [c-wide-integer]
    5 |   for (int i = 0; i < 9; i++) a[i] = a[i] * (wide + 1);
      |                                              ^~~~~~~~
  hint: convert the operands to `int` or `double`
