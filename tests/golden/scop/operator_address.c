// An address.
double a[10];
void run(double *p) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = &a[i] == p;
#pragma endscop
}
// ----
operator_address.c:5:38: error: a region has no counterpart for the operator `&` [c-expression]
    5 |   for (int i = 0; i < 9; i++) a[i] = &a[i] == p;
      |                                      ^~~~~
operator_address.c:5:47: error: `p` without more subscripts is no element of an array that the region names [c-place]
    5 |   for (int i = 0; i < 9; i++) a[i] = &a[i] == p;
      |                                               ^
  hint: regions compute with numbers: int, float, double and bool
