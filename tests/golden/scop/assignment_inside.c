// An assignment in an expression.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = 1 + (b[i] = 2);
#pragma endscop
}
// ----
assignment_inside.c:5:43: error: an assignment inside of an expression [c-side-effect]
    5 |   for (int i = 0; i < n; i++) a[i] = 1 + (b[i] = 2);
      |                                           ^~~~~~~~
  hint: write it as a statement of its own
