/* Rodinia's hotspot in its usual form: what is added at a point is set in branches for corners,
   edges and the interior of a chip. */
#include "check.h"

#define ROWS 37
#define COLUMNS 50

typedef float FLOAT;

FLOAT temp[ROWS * COLUMNS], power[ROWS * COLUMNS], result[ROWS * COLUMNS];
const FLOAT amb_temp = 0.3f;

static void single_iteration(FLOAT *result, FLOAT *temp, FLOAT *power, int row, int col, FLOAT Cap_1,
                             FLOAT Rx_1, FLOAT Ry_1, FLOAT Rz_1) {
  FLOAT delta;
  int r, c;
#pragma scop
  for (r = 0; r < row; r++) {
    for (c = 0; c < col; c++) {
      /* Corner 1 */
      if ((r == 0) && (c == 0)) {
        delta = (Cap_1) * (power[0] + (temp[1] - temp[0]) * Rx_1 + (temp[col] - temp[0]) * Ry_1 +
                           (amb_temp - temp[0]) * Rz_1);
      } /* Corner 2 */
      else if ((r == 0) && (c == col - 1)) {
        delta = (Cap_1) * (power[c] + (temp[c - 1] - temp[c]) * Rx_1 +
                           (temp[c + col] - temp[c]) * Ry_1 + (amb_temp - temp[c]) * Rz_1);
      } /* Corner 3 */
      else if ((r == row - 1) && (c == col - 1)) {
        delta = (Cap_1) * (power[r * col + c] +
                           (temp[r * col + c - 1] - temp[r * col + c]) * Rx_1 +
                           (temp[(r - 1) * col + c] - temp[r * col + c]) * Ry_1 +
                           (amb_temp - temp[r * col + c]) * Rz_1);
      } /* Corner 4	*/
      else if ((r == row - 1) && (c == 0)) {
        delta = (Cap_1) * (power[r * col] + (temp[r * col + 1] - temp[r * col]) * Rx_1 +
                           (temp[(r - 1) * col] - temp[r * col]) * Ry_1 +
                           (amb_temp - temp[r * col]) * Rz_1);
      } /* Edge 1 */
      else if (r == 0) {
        delta = (Cap_1) * (power[c] + (temp[c + 1] + temp[c - 1] - 2.0 * temp[c]) * Rx_1 +
                           (temp[col + c] - temp[c]) * Ry_1 + (amb_temp - temp[c]) * Rz_1);
      } /* Edge 2 */
      else if (c == col - 1) {
        delta = (Cap_1) *
                (power[r * col + c] +
                 (temp[(r + 1) * col + c] + temp[(r - 1) * col + c] - 2.0 * temp[r * col + c]) * Ry_1 +
                 (temp[r * col + c - 1] - temp[r * col + c]) * Rx_1 +
                 (amb_temp - temp[r * col + c]) * Rz_1);
      } /* Edge 3 */
      else if (r == row - 1) {
        delta = (Cap_1) *
                (power[r * col + c] +
                 (temp[r * col + c + 1] + temp[r * col + c - 1] - 2.0 * temp[r * col + c]) * Rx_1 +
                 (temp[(r - 1) * col + c] - temp[r * col + c]) * Ry_1 +
                 (amb_temp - temp[r * col + c]) * Rz_1);
      } /* Edge 4 */
      else if (c == 0) {
        delta = (Cap_1) * (power[r * col] +
                           (temp[(r + 1) * col] + temp[(r - 1) * col] - 2.0 * temp[r * col]) * Ry_1 +
                           (temp[r * col + 1] - temp[r * col]) * Rx_1 +
                           (amb_temp - temp[r * col]) * Rz_1);
      } /* Inside the chip */
      else {
        delta = (Cap_1) *
                (power[r * col + c] +
                 (temp[(r + 1) * col + c] + temp[(r - 1) * col + c] - 2.f * temp[r * col + c]) * Ry_1 +
                 (temp[r * col + c + 1] + temp[r * col + c - 1] - 2.f * temp[r * col + c]) * Rx_1 +
                 (amb_temp - temp[r * col + c]) * Rz_1);
      }
      result[r * col + c] = temp[r * col + c] + delta;
    }
  }
#pragma endscop
}

int main(void) {
  int k;
  FILL(temp, float);
  FILL(power, float);
  for (k = 0; k < 3; k++) {
    single_iteration(result, temp, power, ROWS, COLUMNS, 0.1f, 0.2f, 0.3f, 0.01f);
    single_iteration(temp, result, power, ROWS, COLUMNS, 0.1f, 0.2f, 0.3f, 0.01f);
  }
  single_iteration(result, temp, power, 2, 2, 0.1f, 0.2f, 0.3f, 0.01f);
  single_iteration(result, temp, power, 3, 2, 0.1f, 0.2f, 0.3f, 0.01f);
  ADD(temp);
  ADD(result);
  PRINT();
  return 0;
}
