// A bound that is a square.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i * i; j++) a[j] = 1;
#pragma endscop
}
// ----
loop_square_bound.c:6:25: error: this bound of a loop is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    6 |     for (int j = 0; j < i * i; j++) a[j] = 1;
      |                         ^~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
