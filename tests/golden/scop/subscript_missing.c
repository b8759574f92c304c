// A row in the place of an element.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) u[i] = 0;
#pragma endscop
}
// ----
subscript_missing.c:5:36: error: array type 'double[100]' is not assignable [c-error]
    5 |   for (int i = 0; i < n; i++) u[i] = 0;
      |                                    ^
