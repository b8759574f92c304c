// Nothing is assigned.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  ;
#pragma endscop
}
// ----
empty.c:4:1: error: this region assigns nothing [scop-empty]
    4 | #pragma scop
      | ^~~~~~~~~~~~
