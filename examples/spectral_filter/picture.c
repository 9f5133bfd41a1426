#include "picture.h"

#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdlib.h>

/* A sun over hills behind a fine screen, and noise. */
void draw_picture(float *planes, int size) {
  uint32_t random = 7;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      float u = (float)x / (float)size, v = (float)y / (float)size;
      float color[3] = {0.3f + 0.5f * v, 0.5f + 0.3f * v, 0.9f - 0.2f * v};
      if (hypotf(u - 0.7f, v - 0.3f) < 0.12f)
        color[0] = 1, color[1] = 0.9f, color[2] = 0.4f;
      for (int hill = 0; hill < 3; ++hill)
        if (v > 0.55f + 0.13f * (float)hill + 0.06f * sinf(6.2832f * (u * (float)(hill + 1) + 0.3f * (float)hill)))
          color[0] = 0.1f, color[1] = 0.55f - 0.15f * (float)hill, color[2] = 0.25f - 0.07f * (float)hill;
      float screen = (x / 3 + y / 3) % 2 ? 0.85f : 1.1f;
      for (int plane = 0; plane < 3; ++plane) {
        random = random * 1664525 + 1013904223;
        float noise = (float)(random >> 8) / 16777216.0f - 0.5f;
        planes[((size_t)plane * (size_t)size + (size_t)y) * (size_t)size + (size_t)x] =
            color[plane] * screen + 0.25f * noise;
      }
    }
}

int write_png(const char *path, const float *planes, int size) {
  size_t count = (size_t)size * (size_t)size;
  png_bytep pixels = malloc(3 * count);
  if (!pixels)
    return 1;
  for (size_t i = 0; i < 3 * count; ++i) {
    float value = planes[i % 3 * count + i / 3];
    pixels[i] = (png_byte)(255 * (value < 0 ? 0 : value > 1 ? 1 : value) + 0.5f);
  }
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = (png_uint_32)size, .height = (png_uint_32)size, .format = PNG_FORMAT_RGB};
  int written = png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
  free(pixels);
  return written ? 0 : 1;
}
