/* A transform on all GPUs of one process, by a library that CMakeLists.txt makes. The input is a plane wave: its
   transform is one number, at the wave's place. */
#include "cube.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { bits = 6, side = 1 << bits, most = 4 };

static void check(int code, const char *what) {
  if (!code)
    return;
  fprintf(stderr, "%s: %s\n", what, cube_message(code));
  exit(1);
}

int main(void) {
  int32_t devices[most] = {0, 1, 2, 3};
  const int32_t present = idc_device_count(), ranks = present >= 4 ? 4 : 2;
  if (present < 2) {
    printf("this needs 2 or 4 GPUs, and there %s %d\n", present == 1 ? "is" : "are", (int)present);
    return 0;
  }
  idc_group *group[most];
  check(idc_group_of_devices(ranks, devices, group), "the group");

  /* Rank r has planes number r * planes and those behind it, of the input and of the result. */
  const int planes = side / ranks;
  const size_t numbers = (size_t)planes * side * side, bytes = numbers * 2 * sizeof(float);
  const int64_t workspaceBytes = cube_workspace_size(ranks, bits, bits, bits, 1);
  check(workspaceBytes < 0 ? (int)-workspaceBytes : 0, "the workspace");
  const int wave[3] = {5, 40, 9}; /* slowest dimension first */
  float *data = malloc(bytes), *x[most], *y[most], *workspace[most];
  void *stream[most];
  for (int r = 0; r < ranks; ++r) {
    check(idc_device_use(r), "a GPU");
    check(cube_load(), "loading");
    check(idc_stream_create(&stream[r]), "a stream");
    check(idc_device_alloc(bytes, (void **)&x[r]), "memory");
    check(idc_device_alloc(bytes, (void **)&y[r]), "memory");
    check(idc_device_alloc((size_t)workspaceBytes + 16, (void **)&workspace[r]), "memory");
    check(idc_group_register(group[r], x[r], bytes), "the input");
    check(idc_group_register(group[r], y[r], bytes), "the result");
    check(idc_group_register(group[r], workspace[r], (size_t)workspaceBytes + 16), "the workspace");
    for (int p = 0; p < planes; ++p)
      for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
          const int turn = (wave[0] * (r * planes + p) + wave[1] * i + wave[2] * j) % side;
          float *number = data + 2 * (((size_t)p * side + i) * side + j);
          number[0] = (float)cos(2 * 3.14159265358979323846 * turn / side);
          number[1] = (float)sin(2 * 3.14159265358979323846 * turn / side);
        }
    check(idc_device_upload(x[r], data, bytes, stream[r]), "uploading");
  }

  /* One thread launches all ranks; each could have a thread of its own. */
  for (int r = 0; r < ranks; ++r)
    check(cube(group[r], bits, bits, bits, 1, x[r], y[r], workspace[r], stream[r]), "the transform");
  int right = 1;
  for (int r = 0; r < ranks; ++r) {
    check(idc_device_use(r), "a GPU");
    check(idc_stream_synchronize(stream[r]), "the transform");
    check(idc_group_check(group[r]), "the group");
    check(idc_device_download(data, y[r], bytes, stream[r]), "downloading");
    check(idc_stream_synchronize(stream[r]), "downloading");
    const size_t at = ((size_t)(wave[0] - r * planes) * side + wave[1]) * side + wave[2];
    const int isHere = wave[0] / planes == r;
    for (size_t k = 0; k < numbers; ++k) {
      const double expected = isHere && k == at ? (double)side * side * side : 0;
      right &= fabs(data[2 * k] - expected) < 1 && fabs(data[2 * k + 1]) < 1;
    }
  }
  printf("a cube of %d^3 on %d GPUs: %s\n", side, (int)ranks, right ? "right" : "WRONG");
  for (int r = 0; r < ranks; ++r) {
    check(idc_device_use(r), "a GPU");
    idc_device_free(x[r]);
    idc_device_free(y[r]);
    idc_device_free(workspace[r]);
    idc_stream_destroy(stream[r]);
  }
  cube_unload();
  for (int r = 0; r < ranks; ++r)
    idc_group_destroy(group[r]);
  free(data);
  return right ? 0 : 1;
}
