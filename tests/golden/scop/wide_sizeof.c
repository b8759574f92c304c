// The size of a type in a value.
double a[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = a[i] * (sizeof(double) + n);
#pragma endscop
}
// ----
wide_sizeof.c:5:46: error: this is computed in an integer type other than `int`, which stencil programs have not [c-wide-integer]
    5 |   for (int i = 0; i < 9; i++) a[i] = a[i] * (sizeof(double) + n);
      |                                              ^~~~~~~~~~~~~~~~~~
  hint: convert the operands to `int` or `double`
