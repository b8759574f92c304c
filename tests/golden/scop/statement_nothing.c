// An expression that changes nothing.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] + 1;
#pragma endscop
}
// ----
statement_nothing.c:5:31: error: a region has no counterpart for an expression that changes nothing [c-statement]
    5 |   for (int i = 0; i < n; i++) a[i] + 1;
      |                               ^~~~~~~~
