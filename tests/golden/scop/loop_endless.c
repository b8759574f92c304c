// No bound.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0;; i++) a[i] = 0;
#pragma endscop
}
// ----
loop_endless.c:5:3: error: this loop lacks a first value, a bound or a step [c-loop]
    5 |   for (int i = 0;; i++) a[i] = 0;
      |   ^
  hint: write it as `for (int i = 0; i < n; i++)`
