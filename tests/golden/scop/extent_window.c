// Rows from the larger of two numbers to the smaller of two sizes.
void run(int n, int m, int low, int high, float (*a)[m], float (*b)[m]) {
#pragma scop
  for (int i = low > 2 ? low : 2; i < (n - 2 < high ? n - 2 : high); i++)
    for (int j = 2; j <= m - 3; j++) b[i][j] = a[i - 2][j] + a[i + 2][j + 1];
#pragma endscop
}
// ----
extent_window.c:5:38: error: how many elements `b` has is not known: they end where one of several sizes is reached [c-extent]
    5 |     for (int j = 2; j <= m - 3; j++) b[i][j] = a[i - 2][j] + a[i + 2][j + 1];
      |                                      ^
  hint: compute before the region where its loops end, in a variable of its own: `int rows = n < m ? n : m;`
extent_window.c:5:48: error: how many elements `a` has is not known: they end where one of several sizes is reached [c-extent]
    5 |     for (int j = 2; j <= m - 3; j++) b[i][j] = a[i - 2][j] + a[i + 2][j + 1];
      |                                                ^
  hint: compute before the region where its loops end, in a variable of its own: `int rows = n < m ? n : m;`
