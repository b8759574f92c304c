// Past the end.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 10; i++) a[i + 200] = 1;
#pragma endscop
}
// ----
outside_end.c:5:32: error: this reaches outside of `a` where the loops go so far [c-outside]
    5 |   for (int i = 0; i < 10; i++) a[i + 200] = 1;
      |                                ^~~~~~~~~~
