#include "report.h"

#include <math.h>
#include <stdio.h>

/* The generated headers are C too. */
#include "cooling.h"

int report(double worst, const double* gradient_squared, int rows, int columns) {
  int at = 0;
  for (int k = 0; k < rows * columns; ++k) {
    if (gradient_squared[k] > gradient_squared[at]) at = k;
  }
  printf("largest error %.1e, steepest %.4f at row %d, column %d\n", worst,
         sqrt(gradient_squared[at]), at / columns, at % columns);
  if (cooling_error()[0] != '\0') return 1;
  return worst < 1e-12 ? 0 : 1;
}
