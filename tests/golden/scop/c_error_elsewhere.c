// An error outside of the region.
double a[9];
int f(void) { return undeclared; }
void run(void) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = 0;
#pragma endscop
}
// ----
c_error_elsewhere.c:3:22: error: use of undeclared identifier 'undeclared' [c-error]
    3 | int f(void) { return undeclared; }
      |                      ^~~~~~~~~~
