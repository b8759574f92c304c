// A scalar that is summed for each row.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 100; i++) {
    double t = 0;
    for (int j = 0; j < 100; j++) t += u[i][j];
    a[i] = t;
  }
#pragma endscop
}
// ----
dot_per_row.c:7:35: error: `t` gets its value in other loops than those that read it [c-scalar-across]
    7 |     for (int j = 0; j < 100; j++) t += u[i][j];
      |                                   ^
  hint: keep it in an array, one element for each point
dot_per_row.c:8:12: error: `t` gets its value in other loops than those that read it [c-scalar-across]
    8 |     a[i] = t;
      |            ^
  hint: keep it in an array, one element for each point
