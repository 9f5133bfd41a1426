#include "picture.h"

#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdlib.h>

void draw_picture(float *planes, int width, int height) {
  uint32_t random = 7;
  const size_t count = (size_t)width * (size_t)height;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float u = (float)x / (float)width, v = (float)y / (float)height;
      float color[3] = {0.02f + 0.10f * v, 0.03f + 0.12f * v, 0.12f + 0.15f * v};
      float shore = 0.60f + 0.02f * sinf(15 * u);
      if (v > shore) { /* water with ripples */
        float ripple = 0.5f + 0.5f * sinf(90 * (v - shore) / (0.3f + v) + 9 * sinf(6 * u));
        color[0] = 0.03f, color[1] = 0.08f + 0.05f * ripple, color[2] = 0.16f + 0.08f * ripple;
      } else if (v > shore - 0.10f - 0.06f * sinf(3 + 9 * u) * sinf(4 * u)) /* hills */
        color[0] = 0.03f, color[1] = 0.05f, color[2] = 0.05f;
      for (int plane = 0; plane < 3; ++plane)
        planes[(size_t)plane * count + (size_t)y * (size_t)width + (size_t)x] = color[plane];
    }
  for (int light = 0; light < 60; ++light) {
    random = random * 1664525 + 1013904223;
    const int x = 2 + (int)(random >> 8) % (width - 4);
    random = random * 1664525 + 1013904223;
    const int y = (light % 3 ? 53 : 20) * height / 100 + (int)(random >> 8) % (height / 14);
    const float color[3][3] = {{1, 0.8f, 0.4f}, {0.6f, 0.8f, 1}, {1, 0.35f, 0.25f}};
    for (int plane = 0; plane < 3; ++plane)
      for (int i = 0; i < 4; ++i) /* of 2 by 2 pixels, far brighter than white */
        planes[(size_t)plane * count + (size_t)(y + i / 2) * (size_t)width + (size_t)(x + i % 2)] =
            40 * color[light % 5 ? light % 2 : 2][plane];
  }
}

int write_png(const char *path, const float *left, const float *right, int width, int height) {
  const size_t count = (size_t)width * (size_t)height;
  png_bytep pixels = malloc(6 * count);
  if (!pixels)
    return 1;
  for (size_t i = 0; i < 6 * count; ++i) {
    size_t x = i / 3 % (2 * (size_t)width), y = i / 3 / (2 * (size_t)width);
    const float *planes = x < (size_t)width ? left : right;
    float value = planes[i % 3 * count + y * (size_t)width + x % (size_t)width];
    pixels[i] = (png_byte)(255 * (value < 0 ? 0 : value > 1 ? 1 : value) + 0.5f);
  }
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = 2 * (png_uint_32)width,
                     .height = (png_uint_32)height,
                     .format = PNG_FORMAT_RGB};
  int written = png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
  free(pixels);
  return written ? 0 : 1;
}
