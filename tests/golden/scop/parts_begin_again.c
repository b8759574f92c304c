// A row that the turn of an inner loop names.
double u[2][100];
void run(int n, int periods, int steps) {
#pragma scop
  for (int p = 0; p < periods; p++)
    for (int t = 0; t < steps; t++)
      for (int i = 1; i < n; i++) u[(t + 1) % 2][i] = u[t % 2][i - 1];
#pragma endscop
}
// ----
parts_begin_again.c:6:5: error: `u` is named by the turn of a loop that begins again in each turn of another one [c-parts]
    6 |     for (int t = 0; t < steps; t++)
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
parts_begin_again.c:5:3: note: the loop around
    5 |   for (int p = 0; p < periods; p++)
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: count the turns of both in one loop, or exchange two pointers
