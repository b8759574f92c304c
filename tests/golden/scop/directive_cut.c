// A region that ends inside of a loop.
double a[9];
void f(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
#pragma endscop
    a[i] = 0;
  }
}
// ----
directive_cut.c:5:8: error: this statement begins inside of the region, but what is around it does not [scop-not-whole]
    5 |   for (int i = 0; i < n; i++) {
      |        ^~~~~~~~~~
directive_cut.c:4:1: note: the region begins here
    4 | #pragma scop
      | ^~~~~~~~~~~~
