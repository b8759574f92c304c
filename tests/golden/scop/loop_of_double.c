// A counter that is no integer.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (double x = 0; x < 1; x += 0.1) a[0] = x;
#pragma endscop
}
// ----
loop_of_double.c:5:8: error: `x` counts a loop, but is no integer [c-loop]
    5 |   for (double x = 0; x < 1; x += 0.1) a[0] = x;
      |        ^~~~~~~~~~~~~
  hint: count with an `int`
