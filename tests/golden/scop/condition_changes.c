// A condition around a loop that changes it.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++)
    if (a[i] > 0) {
      for (int j = 0; j < 9; j++) u[i][j] = 0;
      a[i] = 0;
      b[i] = 1;
    }
#pragma endscop
}
// ----
condition_changes.c:6:9: error: what this condition depends on changes below it [c-condition-changes]
    6 |     if (a[i] > 0) {
      |         ^~~~~~~~
condition_changes.c:8:7: note: by this, and something under the condition follows
    8 |       a[i] = 0;
      |       ^~~~~~~~
  hint: keep the condition in a variable before the `if`
