// A bound that an element says.
int counts[3]; double a[100];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < counts[0]; i++) a[i] = 0;
#pragma endscop
}
// ----
loop_data_bound.c:5:23: error: this bound of a loop is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    5 |   for (int i = 0; i < counts[0]; i++) a[i] = 0;
      |                       ^~~~~~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
