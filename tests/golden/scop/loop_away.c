// A loop that counts away from its bound.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i--) a[i] = 0;
#pragma endscop
}
// ----
loop_away.c:5:3: error: this loop counts away from its bound [c-loop]
    5 |   for (int i = 0; i < n; i--) a[i] = 0;
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: write it as `for (int i = 0; i < n; i++)`
