// A pointer is assigned to a number.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, double *p) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = p;
#pragma endscop
}
// ----
c_types.c:5:36: error: assigning to 'double' from incompatible type 'double *'; dereference with * [c-error]
    5 |   for (int i = 0; i < n; i++) a[i] = p;
      |                                    ^
