// Several problems are said in one run.
double unknown(double); double a[100], b[100]; int index_of[100];
void run(int n, double **rows) {
#pragma scop
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) break;
    b[i] = unknown(a[i]);
    a[index_of[i]] = 0;
    rows[i][0] = 1;
  }
#pragma endscop
}
// ----
all_at_once.c:6:19: error: a region has no counterpart for `break` [c-statement]
    6 |     if (a[i] < 0) break;
      |                   ^
  hint: loops of a region make all their turns
all_at_once.c:7:12: error: `unknown` is called, and what it does is not known here [c-call]
    7 |     b[i] = unknown(a[i]);
      |            ^~~~~~~~~~~~~
  hint: define it in this file or a header, or write what it computes in its place; functions of <math.h> are known
all_at_once.c:8:7: error: this subscript is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    8 |     a[index_of[i]] = 0;
      |       ^~~~~~~~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
all_at_once.c:9:5: error: `rows` is an array of pointers: its rows may lie anywhere [c-rows]
    9 |     rows[i][0] = 1;
      |     ^~~~
  hint: allocate one array and index it as `u[i*n + j]`, or as `double (*u)[n]`
