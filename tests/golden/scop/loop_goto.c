// A jump.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    if (b[i] > 0) goto end;
    a[i] = 0;
  }
end:;
#pragma endscop
}
// ----
loop_goto.c:6:19: error: a region has no counterpart for `goto` [c-statement]
    6 |     if (b[i] > 0) goto end;
      |                   ^
loop_goto.c:9:1: error: a region has no counterpart for `goto` [c-statement]
    9 | end:;
      | ^
