// A loop that skips.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    if (b[i] > 0) continue;
    a[i] = 0;
  }
#pragma endscop
}
// ----
loop_continue.c:6:19: error: a region has no counterpart for `continue` [c-statement]
    6 |     if (b[i] > 0) continue;
      |                   ^
  hint: put what follows into an `if`
