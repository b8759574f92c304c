// A region outside of functions.
double a[9];
#pragma scop
int x;
#pragma endscop
// ----
directive_outside.c:4:1: error: a region stands inside the body of a function [scop-outside-function]
    4 | int x;
      | ^~~~~
  hint: put the directives around loops in a function
