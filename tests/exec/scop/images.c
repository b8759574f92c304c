/* Images of bytes and shorts: whole numbers keep their last bits, as C has it. */
#include "check.h"

#define H 23
#define W 37
unsigned char in[H][W], out[H][W], mask[H][W], table[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
signed char small[H][W];
short depth[H * W], next_depth[H * W];
unsigned short wide[H][W];
float grey[H][W];
int total, brightest;
char letters[H][W], shifted[H][W];

static void blur(void) {
#pragma scop
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      int sum = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += table[3 * (dy + 1) + dx + 1] * in[y + dy][x + dx];
      out[y][x] = (sum + 8) >> 4;
      small[y][x] = (in[y][x] - in[y][x - 1]) >> 1;
    }
#pragma endscop
}

static void sharpen(void) {
#pragma scop
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      int v = 5 * in[y][x] - in[y - 1][x] - in[y + 1][x] - in[y][x - 1] - in[y][x + 1];
      out[y][x] = v < 0 ? 0 : v > 255 ? 255 : v;
      mask[y][x] = v;
      small[y][x] = v;
    }
#pragma endscop
}

static void wrap(void) {
#pragma scop
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      out[y][x] += 3 * in[y][x] + 200;
      mask[y][x] = (unsigned char)(in[y][x] * 7) / 2 + (signed char)(in[y][x] - 130);
      small[y][x] -= 100;
      wide[y][x] = (in[y][x] << 10) - 5;
      if (in[y][x] > 100) small[y][x] = in[y][x];
    }
#pragma endscop
}

static void convert(void) {
#pragma scop
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      grey[y][x] = in[y][x] * 0.25f;
      out[y][x] = (unsigned char)(grey[y][x] * 3.5f + 0.5f);
      mask[y][x] = in[y][x] > 127 ? in[y][x] : mask[y][x] * 0.5;
    }
#pragma endscop
}

/* Scalars keep their last bits, too, and so does what operators make in place. */
static void scalars(unsigned char gain, short offset) {
#pragma scop
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      unsigned char v = letters[y][x] + 3 * letters[y][x - 1];
      short s = 300 * v;
      signed char c;
      c = s + offset;
      c += 100;
      c++;
      unsigned short bits = c;
      bits >>= 3;
      bits <<= 2;
      out[y][x] = v * gain + s;
      out[y][x] >>= 2;
      wide[y][x] = bits;
      small[y][x] = c;
      small[y][x] >>= 1;
      shifted[y][x] = letters[y][x];
      shifted[y][x] <<= 3;
      depth[y * W + x] = c < 0 ? v : s;
    }
#pragma endscop
}

static void step(int steps, int h, int w, short *__restrict u, short *__restrict v) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int y = 1; y < h - 1; y++)
      for (int x = 1; x < w - 1; x++)
        v[y * w + x] = (u[(y - 1) * w + x] + u[(y + 1) * w + x] + u[y * w + x - 1] +
                        u[y * w + x + 1] + 2 * u[y * w + x]) / 5;
    memcpy(u, v, sizeof(short) * h * w);
  }
#pragma endscop
}

static void measure(void) {
  total = 0;
  brightest = 0;
#pragma scop
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      total += out[y][x] * small[y][x];
      if (wide[y][x] > brightest) brightest = wide[y][x];
    }
#pragma endscop
}

int main(void) {
  for (int k = 0; k < H * W; k++) {
    in[k / W][k % W] = (unsigned char)(128 + 127 * next_value());
    depth[k] = (short)(30000 * next_value());
    next_depth[k] = depth[k];
    letters[k / W][k % W] = (char)(120 * next_value());
  }
  blur();
  ADD(out);
  ADD(small);
  sharpen();
  ADD(out);
  wrap();
  ADD(small);
  ADD(mask);
  convert();
  ADD(small);
  ADD(wide);
  scalars(7, -900);
  ADD(small);
  ADD(shifted);
  ADD(depth);
  step(5, H, W, depth, next_depth);
  measure();
  ADD(out);
  ADD(mask);
  ADD(wide);
  ADD(grey);
  ADD(depth);
  ADD(next_depth);
  add_bytes(&total, sizeof total);
  add_bytes(&brightest, sizeof brightest);
  PRINT();
  return 0;
}
