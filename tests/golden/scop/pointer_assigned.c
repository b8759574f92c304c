// A pointer that gets another value.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, double *p, double *q) {
#pragma scop
  p = q;
  for (int i = 0; i < n; i++) p[i] = 0;
#pragma endscop
}
// ----
pointer_assigned.c:5:3: error: a region has no counterpart for a pointer that changes [c-statement]
    5 |   p = q;
      |   ^~~~~
  hint: pointers may be exchanged at the end of a loop: t = a; a = b; b = t; or t = a; a = b; b = c; c = t;
