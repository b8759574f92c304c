// An extent that is the smaller of two sizes.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m, double *p) {
#pragma scop
  for (int i = 0; i < n && i < m; i++) p[i] = 0;
#pragma endscop
}
// ----
extent_two_sizes.c:5:40: error: how many elements `p` has is not known: they end where one of several sizes is reached [c-extent]
    5 |   for (int i = 0; i < n && i < m; i++) p[i] = 0;
      |                                        ^
  hint: compute before the region where its loops end, in a variable of its own: `int rows = n < m ? n : m;`
