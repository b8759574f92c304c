// A shift of bits by a number that varies.
int k[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) k[i] = k[i] << m;
#pragma endscop
}
// ----
operator_shift.c:5:38: error: a region has no counterpart for the operator `<<` [c-expression]
    5 |   for (int i = 0; i < 9; i++) k[i] = k[i] << m;
      |                                      ^~~~~~~~~
