// The counter's first value is assigned elsewhere.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  int i = 3;
  for (; i < n; i++) a[i] = 0;
#pragma endscop
}
// ----
loop_reset.c:6:3: error: this loop lacks a first value, a bound or a step [c-loop]
    6 |   for (; i < n; i++) a[i] = 0;
      |   ^
  hint: write it as `for (int i = 0; i < n; i++)`
