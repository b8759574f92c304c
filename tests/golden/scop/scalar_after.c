// A value that is left.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) s = a[i];
  s = s + 1;
#pragma endscop
}
// ----
scalar_after.c:5:31: error: the region leaves a value in `s` that is used after it [c-value-after]
    5 |   for (int i = 0; i < 9; i++) s = a[i];
      |                               ^
scalar_after.c:5:31: note: it gets its value here
    5 |   for (int i = 0; i < 9; i++) s = a[i];
      |                               ^~~~~~~~
  hint: a scalar leaves a region only as a sum, a minimum or a maximum over points: `s += u[i]`, `m = fmax(m, u[i])`
