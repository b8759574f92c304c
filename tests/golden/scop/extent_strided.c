// The last row is a quotient of a size.
void run(int n, double (*a)[8]) {
#pragma scop
  for (int i = 0; i < n; i += 2)
    for (int j = 0; j < 8; j++) a[i][j] = 0;
#pragma endscop
}
// ----
extent_strided.c:5:33: error: how many elements `a` has is not known [c-extent]
    5 |     for (int j = 0; j < 8; j++) a[i][j] = 0;
      |                                 ^
  hint: declare it with its sizes, as `double (*u)[n]` or `double u[m][n]`
