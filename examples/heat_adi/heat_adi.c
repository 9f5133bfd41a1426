/* Heat that spreads in a square: frames as PNG files. Before that, a mode whose decay is known. */
#include "heat.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

enum { log_size = 8, size = 1 << log_size, count = size * size };

/* Prints what failed and ends the program. */
static void check(int status, const char *what) {
  if (status == IDC_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", what, heat_message(status));
  exit(1);
}

/* `steps` steps in time, on the GPU when there is one. u is replaced by the result. */
static void advance(float *u, float r, int steps) {
  const size_t bytes = sizeof(float) * count, workspace_bytes = (size_t)heat_workspace_size(log_size, log_size, 1) + 1;
  const int gpu = idc_device_available() == IDC_SUCCESS;
  void *now, *next, *workspace;
  if (gpu) {
    check(idc_device_alloc(bytes, &now), "device memory");
    check(idc_device_alloc(bytes, &next), "device memory");
    check(idc_device_alloc(workspace_bytes, &workspace), "device memory");
    check(idc_device_upload(now, u, bytes, NULL), "upload");
  } else {
    now = u;
    next = malloc(bytes);
    workspace = malloc(workspace_bytes);
  }
  for (int step = 0; step < steps; ++step) { /* an even number: the result ends where it began */
    check(heat(log_size, log_size, 1, now, r, next, workspace, gpu ? NULL : IDC_CPU), "heat");
    void *other = now;
    now = next;
    next = other;
  }
  if (gpu) {
    check(idc_device_download(u, now, bytes, NULL), "download");
    idc_device_free(now);
    idc_device_free(next);
    idc_device_free(workspace);
  } else {
    free(next);
    free(workspace);
  }
}

/* A product of sines only becomes smaller, in each step by a factor for each axis. */
static double error_of_a_mode(float *u, float r, int steps) {
  const double pi = 3.14159265358979323846, kx = 3, ky = 5;
  double factor = 1, error = 0;
  for (int axis = 0; axis < 2; ++axis) {
    double s = sin(pi * (axis ? ky : kx) / (2 * (size + 1))), decay = 2 * (double)r * s * s;
    factor *= pow((1 - decay) / (1 + decay), steps);
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < count; ++i) {
      double mode = sin(pi * kx * (i % size + 1) / (size + 1)) * sin(pi * ky * (i / size + 1) / (size + 1));
      if (pass == 0)
        u[i] = (float)mode;
      else
        error = fmax(error, fabs(u[i] - factor * mode));
    }
    if (pass == 0)
      advance(u, r, steps);
  }
  return error;
}

static void write_frame(const float *u, int frame) {
  char path[32];
  png_bytep pixels = malloc(3 * count);
  for (int i = 0; i < count; ++i) { /* black, red, yellow, white */
    float heat = sqrtf(fminf(fmaxf(u[i], 0), 1)) * 3;
    for (int part = 0; part < 3; ++part)
      pixels[3 * i + part] = (png_byte)(255 * fminf(fmaxf(heat - (float)part, 0), 1));
  }
  png_image image = {.version = PNG_IMAGE_VERSION, .width = size, .height = size, .format = PNG_FORMAT_RGB};
  snprintf(path, sizeof path, "heat%d.png", frame);
  if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) {
    fprintf(stderr, "cannot write %s\n", path);
    exit(1);
  }
  free(pixels);
}

int main(void) {
  const float r = 4; /* an explicit scheme is stable below 1/4 */
  float *u = malloc(sizeof(float) * count);
  double error = error_of_a_mode(u, r, 20);
  printf("a mode after 20 steps on the %s: largest error %.1e\n", idc_device_available() == IDC_SUCCESS ? "GPU" : "CPU",
         error);
  for (int i = 0; i < count; ++i) { /* three hot bars */
    int x = i % size, y = i / size;
    u[i] = (x > 40 && x < 60 && y > 30 && y < 220) || (x > 90 && x < 220 && y > 60 && y < 80) ||
           (x > 120 && x < 200 && y > 150 && y < 210);
  }
  for (int frame = 0; frame < 4; ++frame) {
    write_frame(u, frame);
    if (frame < 3)
      advance(u, r, 20 << frame);
  }
  printf("wrote heat0.png to heat3.png\n");
  free(u);
  return error < 1e-5 ? 0 : 1;
}
