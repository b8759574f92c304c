// A brace is missing.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    a[i] = 1;
#pragma endscop
}
// ----
c_brace.c:8:2: error: expected '}' [c-error]
    8 | }
      |  ^
