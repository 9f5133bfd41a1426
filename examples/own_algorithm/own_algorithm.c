/* The best stretch of each of many series, on the GPU when there is one, compared with a loop. */
#include "largest.h"

#include <stdio.h>
#include <stdlib.h>

enum { n = 12, length = 1 << n, series = 1000 };

/* Prints what failed and ends the program. */
static void check(int status, const char *what) {
  if (status == IDC_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", what, largest_message(status));
  exit(1);
}

static int32_t largest_by_loop(const int32_t *x) {
  int32_t best = x[0], ending_here = x[0];
  for (int i = 1; i < length; ++i) {
    ending_here = ending_here > 0 ? ending_here + x[i] : x[i];
    best = ending_here > best ? ending_here : best;
  }
  return best;
}

static void run_on_gpu(const int32_t *x, int32_t *y, int64_t workspace_bytes) {
  void *device_x, *device_y, *workspace;
  check(idc_device_alloc(sizeof(int32_t) * series * length, &device_x), "device memory");
  check(idc_device_alloc(sizeof(int32_t) * series, &device_y), "device memory");
  check(idc_device_alloc((size_t)workspace_bytes + 1, &workspace), "device memory");
  check(idc_device_upload(device_x, x, sizeof(int32_t) * series * length, NULL), "upload");
  check(largest(n, series, device_x, device_y, workspace, NULL), "largest");
  check(idc_device_download(y, device_y, sizeof(int32_t) * series, NULL), "download");
  idc_device_free(device_x);
  idc_device_free(device_y);
  idc_device_free(workspace);
}

int main(void) {
  int64_t workspace_bytes = largest_workspace_size(n, series);
  int32_t *x = malloc(sizeof(int32_t) * series * length), *y = malloc(sizeof(int32_t) * series);
  uint32_t random = 1;
  for (int i = 0; i < series * length; ++i) {
    random = random * 1664525 + 1013904223;
    x[i] = (int32_t)(random >> 24) - 128;
  }
  int gpu = idc_device_available() == IDC_SUCCESS;
  if (gpu) {
    run_on_gpu(x, y, workspace_bytes);
  } else {
    void *workspace = malloc((size_t)workspace_bytes + 1);
    check(largest(n, series, x, y, workspace, IDC_CPU), "largest");
    free(workspace);
  }
  int wrong = 0;
  for (int i = 0; i < series; ++i)
    wrong += y[i] != largest_by_loop(x + (size_t)i * length);
  printf("%d series of %d numbers on the %s: %d wrong\n", series, length, gpu ? "GPU" : "CPU", wrong);
  free(x);
  free(y);
  return wrong != 0;
}
