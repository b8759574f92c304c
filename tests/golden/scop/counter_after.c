// A counter that is used after the region.
double a[100]; int i;
void run(int n, int m) {
#pragma scop
  for (i = 0; i < 10; i++) a[i] = 0;
#pragma endscop
  a[0] = i;
}
// ----
counter_after.c:5:8: error: the region leaves a value in `i` that is used after it [c-value-after]
    5 |   for (i = 0; i < 10; i++) a[i] = 0;
      |        ^
counter_after.c:4:1: note: the region
    4 | #pragma scop
      | ^~~~~~~~~~~~
  hint: declare counters in their loops: for (int i = 0; i < n; i++)
