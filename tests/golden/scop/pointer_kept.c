// What keeps a pointer while others are exchanged is read as an array, too.
void run(int n, int steps, double *a, double *b, double *kept) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++) b[i] = a[i - 1] + kept[i];
    kept = a;
    a = b;
    b = kept;
  }
#pragma endscop
}
// ----
pointer_kept.c:5:51: error: a region has no counterpart for a pointer that is moved to another one [c-statement]
    5 |     for (int i = 1; i < n; i++) b[i] = a[i - 1] + kept[i];
      |                                                   ^~~~~~~
