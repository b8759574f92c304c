// An extent that is the smaller of two sizes.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m, double *p) {
#pragma scop
  for (int i = 0; i < n && i < m; i++) p[i] = 0;
#pragma endscop
}
// ----
extent_two_sizes.c:5:40: error: how many elements `p` has is not known [c-extent]
    5 |   for (int i = 0; i < n && i < m; i++) p[i] = 0;
      |                                        ^
  hint: declare it with its sizes, as `double (*u)[n]` or `double u[m][n]`
