// Two loops that exchange pointers in different ways.
void run(int n, int steps, double *a, double *b, double *c) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++) b[i] = a[i - 1];
    double *first = a;
    a = b;
    b = first;
  }
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++) c[i] = b[i - 1];
    double *first = b;
    b = c;
    c = first;
  }
#pragma endscop
}
// ----
pointer_swaps_differ.c:12:5: error: `b` is exchanged in several loops [c-swap]
   12 |     double *first = b;
      |     ^~~~~~~~~~~~~~~~~~
pointer_swaps_differ.c:6:5: note: and here
    6 |     double *first = a;
      |     ^~~~~~~~~~~~~~~~~~
  hint: exchange the same pointers at the end of each loop, or copy the arrays
