// A region is left.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    return;
  }
#pragma endscop
}
// ----
statement_return.c:7:5: error: a region has no counterpart for `return` [c-statement]
    7 |     return;
      |     ^
  hint: end the region before it
