// A loop that skips from inside of conditions.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    if (b[i] > 0) {
      if (b[i] > 1) continue;
      a[i] = 1;
    }
    a[i] = 0;
  }
#pragma endscop
}
// ----
loop_continue.c:7:21: error: a region has no counterpart for this `continue` [c-statement]
    7 |       if (b[i] > 1) continue;
      |                     ^
  hint: it may end an `if` of the loop's own; else put what follows into an `if`
