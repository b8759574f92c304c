// Buffers that are named by the turn and by a number.
double w[2][100];
void run(int n, int m) {
#pragma scop
  for (int t = 0; t < n; t++)
    for (int i = 1; i < 99; i++) w[(t + 1) % 2][i] = w[t % 2][i-1];
  for (int i = 1; i < 99; i++) w[0][i] = 0;
#pragma endscop
}
// ----
parts_mixed.c:7:32: error: `w` is named by the turn of a loop here, and in another way in other places [c-parts]
    7 |   for (int i = 1; i < 99; i++) w[0][i] = 0;
      |                                ^~~~~~~
  hint: use it in one loop of a region, with one counter modulo its extent
