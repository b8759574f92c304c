// `!=` that a step may jump over.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i != n; i += 2) a[i] = 0;
#pragma endscop
}
// ----
loop_not_equal_stride.c:5:3: error: a loop that ends by `!=` counts by one [c-loop]
    5 |   for (int i = 0; i != n; i += 2) a[i] = 0;
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: write it as `for (int i = 0; i < n; i++)`
