// Three pointers, one of which nobody has any more.
void run(int n, int steps, double *a, double *b, double *c) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++) c[i] = a[i - 1] + b[i];
    a = b;
    b = c;
  }
#pragma endscop
}
// ----
pointer_lost.c:6:5: error: a region has no counterpart for a pointer that changes [c-statement]
    6 |     a = b;
      |     ^~~~~
  hint: pointers may be exchanged at the end of a loop: t = a; a = b; b = t; or t = a; a = b; b = c; c = t;
