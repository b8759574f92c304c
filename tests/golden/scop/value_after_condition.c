// A value that only some points leave.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 100; i++)
    if (a[i] > 0) s = b[i];
#pragma endscop
}
// ----
value_after_condition.c:6:19: error: the region leaves a value in `s` that is used after it [c-value-after]
    6 |     if (a[i] > 0) s = b[i];
      |                   ^
value_after_condition.c:6:19: note: it gets its value here
    6 |     if (a[i] > 0) s = b[i];
      |                   ^~~~~~~~
  hint: a scalar leaves a region only as a sum, a minimum or a maximum over points: `s += u[i]`, `m = fmax(m, u[i])`
