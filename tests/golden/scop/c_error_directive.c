// `#error` speaks.
#error "set a size"
double a[9];
void run(void) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = 0;
#pragma endscop
}
// ----
c_error_directive.c:2:2: error: "set a size" [c-error]
    2 | #error "set a size"
      |  ^~~~~
