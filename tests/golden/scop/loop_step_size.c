// A step that is a size.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i += m) a[i] = 0;
#pragma endscop
}
// ----
loop_step_size.c:5:26: error: the step of this loop is no constant [c-loop]
    5 |   for (int i = 0; i < n; i += m) a[i] = 0;
      |                          ^~~~~~
  hint: loops count by a constant: i++, i--, i += 2
