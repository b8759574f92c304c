// A sum that ends at the smaller of two sizes.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n && i < m; i++) s += a[i];
#pragma endscop
}
// ----
sum_two_sizes.c:5:40: error: the bounds of these loops are no sums of sizes [c-no-box]
    5 |   for (int i = 0; i < n && i < m; i++) s += a[i];
      |                                        ^~~~~~~~~
  hint: compute the bounds before the region, in variables of their own
