// A counter of one's own in a subscript.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  int k = 0;
  for (int i = 0; i < n; i++) a[k++] = 0;
#pragma endscop
}
// ----
increment_inside.c:6:33: error: an assignment inside of an expression [c-side-effect]
    6 |   for (int i = 0; i < n; i++) a[k++] = 0;
      |                                 ^~~
  hint: write it as a statement of its own
