// A condition that compares nothing.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 9; i; i--) a[i] = 0;
#pragma endscop
}
// ----
loop_no_comparison.c:5:19: error: the condition of this loop does not compare its counter with a bound [c-loop]
    5 |   for (int i = 9; i; i--) a[i] = 0;
      |                   ^
  hint: write it as `for (int i = 0; i < n; i++)`
