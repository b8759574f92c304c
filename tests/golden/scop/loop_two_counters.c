// Two counters in one head.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0, j = 9; i < j; i++, j--) a[i] = a[j];
#pragma endscop
}
// ----
loop_two_counters.c:5:8: error: this loop declares more than its counter [c-loop]
    5 |   for (int i = 0, j = 9; i < j; i++, j--) a[i] = a[j];
      |        ^~~~~~~~~~~~~~~~~
  hint: declare the others before it
