// Only a condition keeps it inside.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 100; i++) b[i] = i > 0 ? a[i-1] : 0;
#pragma endscop
}
// ----
outside_condition.c:5:48: error: where the condition does not hold, this may be outside of `a` [c-conditional-read]
    5 |   for (int i = 0; i < 100; i++) b[i] = i > 0 ? a[i-1] : 0;
      |                                                ^~~~~~
  hint: put the points that read it into a loop, or an `if` on counters, of their own
