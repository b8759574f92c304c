// Before the first element.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 10; i++) a[i] = b[i - 20];
#pragma endscop
}
// ----
outside_begin.c:5:39: error: this reaches outside of `b` where the loops go so far [c-outside]
    5 |   for (int i = 0; i < 10; i++) a[i] = b[i - 20];
      |                                       ^~~~~~~~~
