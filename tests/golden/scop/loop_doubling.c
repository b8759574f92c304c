// A step that grows.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 1; i < n; i *= 2) a[i] = 0;
#pragma endscop
}
// ----
loop_doubling.c:5:26: error: the step of this loop is no constant [c-loop]
    5 |   for (int i = 1; i < n; i *= 2) a[i] = 0;
      |                          ^~~~~~
  hint: loops count by a constant: i++, i--, i += 2
