/* Smooths a picture in frequency space, on the GPU when there is one: picture.png and smoothed.png. */
#include "picture.h"
#include "spectral_filter_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { log_size = 9, size = 1 << log_size, planes = 3, count = planes * size * size };

/* Prints what failed and ends the program. */
static void check(int status, const char *what) {
  if (status == IDC_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", what, spectral_filter_program_message(status));
  exit(1);
}

/* Filters three planes at once: a batch of three problems. */
static void filter(const float *x, float cutoff, float *y) {
  const size_t bytes = sizeof(float) * count;
  size_t workspace_bytes = (size_t)spectral_filter_program_workspace_size(log_size, log_size, planes) + 1;
  if (idc_device_available() != IDC_SUCCESS) {
    void *workspace = malloc(workspace_bytes);
    check(spectral_filter_program(log_size, log_size, planes, x, cutoff, y, workspace, IDC_CPU), "filter");
    free(workspace);
    return;
  }
  void *device_x, *device_y, *workspace;
  check(idc_device_alloc(bytes, &device_x), "device memory");
  check(idc_device_alloc(bytes, &device_y), "device memory");
  check(idc_device_alloc(workspace_bytes, &workspace), "device memory");
  check(idc_device_upload(device_x, x, bytes, NULL), "upload");
  check(spectral_filter_program(log_size, log_size, planes, device_x, cutoff, device_y, workspace, NULL), "filter");
  check(idc_device_download(y, device_y, bytes, NULL), "download");
  idc_device_free(device_x);
  idc_device_free(device_y);
  idc_device_free(workspace);
}

/* Waves are what the filter only makes smaller, by a known factor: the largest deviation from that. */
static float error_on_waves(float *x, float *y, float cutoff) {
  const int u[planes] = {3, 0, size - 20}, v[planes] = {5, 40, 30};
  float worst = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < count; ++i) {
      int plane = i / (size * size), row = i / size % size, column = i % size;
      int phase = (u[plane] * column + v[plane] * row) % size;
      float wave = cosf(6.2831853f * (float)phase / size);
      int u_distance = u[plane] < size - u[plane] ? u[plane] : size - u[plane];
      float distance = hypotf((float)u_distance, (float)v[plane]);
      if (pass == 0)
        x[i] = wave;
      else
        worst = fmaxf(worst, fabsf(y[i] - wave * expf(-distance * distance / (2 * cutoff * cutoff))));
    }
    if (pass == 0)
      filter(x, cutoff, y);
  }
  return worst;
}

int main(void) {
  const float cutoff = 24;
  float *x = malloc(sizeof(float) * count), *y = malloc(sizeof(float) * count);
  float error = error_on_waves(x, y, cutoff);
  printf("three waves on the %s: largest error %.1e\n", idc_device_available() == IDC_SUCCESS ? "GPU" : "CPU", error);
  draw_picture(x, size);
  filter(x, cutoff, y);
  if (write_png("picture.png", x, size) || write_png("smoothed.png", y, size)) {
    fprintf(stderr, "cannot write the pictures\n");
    return 1;
  }
  printf("wrote picture.png and smoothed.png, %d x %d\n", size, size);
  free(x);
  free(y);
  return error < 1e-5f ? 0 : 1;
}
