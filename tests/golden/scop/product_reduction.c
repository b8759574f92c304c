// A product of all elements.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 100; i++) s *= a[i];
#pragma endscop
}
// ----
product_reduction.c:5:33: error: the region leaves a value in `s` that is used after it [c-value-after]
    5 |   for (int i = 0; i < 100; i++) s *= a[i];
      |                                 ^
product_reduction.c:5:33: note: it gets its value here
    5 |   for (int i = 0; i < 100; i++) s *= a[i];
      |                                 ^~~~~~~~~
  hint: a scalar leaves a region only as a sum, a minimum or a maximum over points: `s += u[i]`, `m = fmax(m, u[i])`
