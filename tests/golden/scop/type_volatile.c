// An element that others change.
volatile double now; double a[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = now;
#pragma endscop
}
// ----
type_volatile.c:5:38: error: `now` is volatile: each access to it counts [c-volatile]
    5 |   for (int i = 0; i < 9; i++) a[i] = now;
      |                                      ^~~
