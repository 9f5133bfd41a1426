/* Convolves a picture with a disc, on the GPU when there is one: convolved.png shows it before and after. */
#include "blur.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { planes = 3, height = 360, width = 480, side = 31, same = 0, count = planes * height * width };

/* Prints what failed and ends the program. */
static void check(int status, const char *what) {
  if (status == IDC_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", what, blur_message(status));
  exit(1);
}

static void convolve(const float *x, const float *h, float *y) {
  const size_t bytes = sizeof(float) * count, filter_bytes = sizeof(float) * side * side;
  const size_t workspace_bytes = (size_t)blur_workspace_size(planes, height, width, side, side, same, 1) + 1;
  if (idc_device_available() != IDC_SUCCESS) {
    void *workspace = malloc(workspace_bytes);
    check(blur(planes, height, width, side, side, same, 1, x, h, y, workspace, IDC_CPU), "blur");
    free(workspace);
    return;
  }
  void *device_x, *device_h, *device_y, *workspace;
  check(idc_device_alloc(bytes, &device_x), "device memory");
  check(idc_device_alloc(filter_bytes, &device_h), "device memory");
  check(idc_device_alloc(bytes, &device_y), "device memory");
  check(idc_device_alloc(workspace_bytes, &workspace), "device memory");
  check(idc_device_upload(device_x, x, bytes, NULL), "upload");
  check(idc_device_upload(device_h, h, filter_bytes, NULL), "upload");
  check(blur(planes, height, width, side, side, same, 1, device_x, device_h, device_y, workspace, NULL), "blur");
  check(idc_device_download(y, device_y, bytes, NULL), "download");
  idc_device_free(device_x);
  idc_device_free(device_h);
  idc_device_free(device_y);
  idc_device_free(workspace);
}

/* A disc that is brighter at its rim; its sum is 1. */
static void make_filter(float *h) {
  const int middle = side / 2;
  float sum = 0;
  for (int i = 0; i < side * side; ++i) {
    const float r = hypotf((float)(i % side - middle), (float)(i / side - middle)) / (float)middle;
    h[i] = r > 1 ? 0 : 0.6f + 0.8f * r * r * r;
    sum += h[i];
  }
  for (int i = 0; i < side * side; ++i)
    h[i] /= sum;
}

/* The largest difference to the sums over the filter, over the largest of these. */
static double error_of(const float *x, const float *h, const float *y) {
  double error = 0, largest = 0;
  for (int i = 0; i < count; ++i) {
    const int row = i / width % height, column = i % width, first = i - row * width - column;
    double sum = 0;
    for (int j = 0; j < side * side; ++j) {
      const int from_row = row + side / 2 - j / side, from_column = column + side / 2 - j % side;
      if (from_row >= 0 && from_row < height && from_column >= 0 && from_column < width)
        sum += (double)h[j] * x[first + from_row * width + from_column];
    }
    error = fmax(error, fabs(sum - y[i]));
    largest = fmax(largest, fabs(sum));
  }
  return error / largest;
}

int main(void) {
  float *x = malloc(sizeof(float) * count), *y = malloc(sizeof(float) * count), h[side * side];
  draw_picture(x, width, height);
  make_filter(h);
  convolve(x, h, y);
  const double error = error_of(x, h, y);
  printf("%d by %d pixels with a filter of %d by %d on the %s: largest error %.1e\n", width, height, side, side,
         idc_device_available() == IDC_SUCCESS ? "GPU" : "CPU", error);
  if (write_png("convolved.png", x, y, width, height)) {
    fprintf(stderr, "cannot write the picture\n");
    return 1;
  }
  printf("wrote convolved.png, %d x %d\n", 2 * width, height);
  free(x);
  free(y);
  return error < 1e-5 ? 0 : 1;
}
