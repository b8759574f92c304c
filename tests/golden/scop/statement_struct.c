// A structure inside.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  struct Pair { double x, y; } p;
  for (int i = 0; i < n; i++) a[i] = 0;
#pragma endscop
}
// ----
statement_struct.c:5:32: error: `p` has the type `struct Pair`, which stencil programs have not [c-type]
    5 |   struct Pair { double x, y; } p;
      |                                ^
  hint: arrays of bool, char, short, int, _Float16, float, double and std::complex are known, and scalars of C's other integers
