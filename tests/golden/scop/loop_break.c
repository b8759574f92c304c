// A loop that may end early.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    if (b[i] > 0) break;
  }
#pragma endscop
}
// ----
loop_break.c:7:19: error: a region has no counterpart for `break` [c-statement]
    7 |     if (b[i] > 0) break;
      |                   ^
  hint: loops of a region make all their turns
