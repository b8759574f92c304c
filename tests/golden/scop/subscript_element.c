// A subscript that an element says.
int index_of[100]; double a[100];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[index_of[i]] = 0;
#pragma endscop
}
// ----
subscript_element.c:5:33: error: this subscript is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    5 |   for (int i = 0; i < n; i++) a[index_of[i]] = 0;
      |                                 ^~~~~~~~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
