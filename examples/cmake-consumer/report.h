#ifndef REPORT_H
#define REPORT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the largest error and the steepest place. Returns 0 where the error is small. */
int report(double worst, const double* gradient_squared, int rows, int columns);

#ifdef __cplusplus
}
#endif

#endif
