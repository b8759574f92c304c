// A loop that skips what two blocks around would do.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    if (b[i] > 0) {
      if (b[i] > 1) continue;
      a[i] = 1;
    }
    a[i] += 2;
  }
#pragma endscop
}
// ----
loop_continue.c:7:21: error: a region has no counterpart for `continue` [c-statement]
    7 |       if (b[i] > 1) continue;
      |                     ^
  hint: put what follows into an `if`
