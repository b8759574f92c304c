// A shift of bits by a size, assigned.
int k[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) k[i] <<= n;
#pragma endscop
}
// ----
operator_shift_assign.c:5:31: error: a region has no counterpart for the operator `<<=` [c-statement]
    5 |   for (int i = 0; i < 9; i++) k[i] <<= n;
      |                               ^~~~~~~~~~
