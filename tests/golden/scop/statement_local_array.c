// An array inside.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    static double w[3];
    w[0] = a[i];
    b[i] = w[0];
  }
#pragma endscop
}
// ----
statement_local_array.c:6:5: error: a region has no counterpart for an array that keeps its values [c-statement]
    6 |     static double w[3];
      |     ^~~~~~~~~~~~~~~~~~
  hint: declare it before the region, or without `static`
