// An element read at a place that another one says.
int index_of[100]; double a[100], b[100];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = b[index_of[i]];
#pragma endscop
}
// ----
subscript_gather.c:5:40: error: this subscript is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    5 |   for (int i = 0; i < n; i++) a[i] = b[index_of[i]];
      |                                        ^~~~~~~~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
