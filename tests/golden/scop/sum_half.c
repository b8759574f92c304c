// A sum that ends at a quotient of a counter.
double u[100][100], s;
void run(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i / 2; j++) s += u[i][j];
#pragma endscop
}
// ----
sum_half.c:6:37: error: the bounds of these loops are no sums of sizes [c-no-box]
    6 |     for (int j = 0; j < i / 2; j++) s += u[i][j];
      |                                     ^~~~~~~~~~~~
  hint: compute the bounds before the region, in variables of their own
