// A semicolon is missing.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = 1
#pragma endscop
}
// ----
c_semicolon.c:5:39: error: expected ';' after expression [c-error]
    5 |   for (int i = 0; i < n; i++) a[i] = 1
      |                                       ^
