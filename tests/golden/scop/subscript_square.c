// A product of counters.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i * i] = 0;
#pragma endscop
}
// ----
subscript_square.c:5:33: error: this subscript is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    5 |   for (int i = 0; i < 9; i++) a[i * i] = 0;
      |                                 ^~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
