// The counter is changed inside.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    i++;
  }
#pragma endscop
}
// ----
loop_counter_changed.c:7:5: error: `i` counts a loop, and is changed inside of it [c-iterator-assigned]
    7 |     i++;
      |     ^~~
loop_counter_changed.c:5:3: note: the loop
    5 |   for (int i = 0; i < n; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
