// A loop over a range.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (double &x : a) x = 0;
#pragma endscop
}
// ----
loop_range.cpp:5:3: error: a region has no counterpart for a loop over a range [c-statement]
    5 |   for (double &x : a) x = 0;
      |   ^
  hint: write it as `for (int i = 0; i < n; i++)`
