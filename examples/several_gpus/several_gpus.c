// A cube of complex numbers is transformed by the GPUs of several processes.
//
// usage: mpirun -n N several_gpus PREFIX n
// PREFIX.fatbin and PREFIX.json are fft3d of (2^n)^3 numbers for N devices. Every process has planes of the cube, as
// many as the others, and gets planes of the result.
#include "idc/group_mpi.h"
#include "idc/runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(idc_status status, const char *what) {
  if (status != IDC_SUCCESS) {
    fprintf(stderr, "%s: %s\n", what, idc_message(status));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm world = MPI_COMM_WORLD;
  int rank = 0, size = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  if (argc != 3) {
    fprintf(stderr, "usage: mpirun -n N several_gpus PREFIX n\n");
    MPI_Abort(world, 2);
  }
  const size_t side = (size_t)1 << atoi(argv[2]), planes = side / (size_t)size, numbers = planes * side * side;
  const size_t bytes = numbers * 2 * sizeof(float);

  // One GPU for each process, and the group of all of them.
  check(idc_device_use(rank % idc_device_count()), "a GPU for this process");
  idc_group *group = NULL;
  check(idc_group_of_mpi(&world, &group), "the group of all processes");
  char image[4096], manifest[4096];
  snprintf(image, sizeof image, "%s.fatbin", argv[1]);
  snprintf(manifest, sizeof manifest, "%s.json", argv[1]);
  idc_module *module = NULL;
  check(idc_module_load_files(image, manifest, &module), image);

  // Memory that others reach is registered once.
  int64_t workspaceBytes = 0;
  void *x = NULL, *y = NULL, *workspace = NULL, *stream = NULL;
  check(idc_workspace_size(module, 1, &workspaceBytes), "the workspace");
  check(idc_device_alloc(bytes, &x), "memory");
  check(idc_device_alloc(bytes, &y), "memory");
  check(idc_device_alloc((size_t)workspaceBytes + 16, &workspace), "memory");
  check(idc_stream_create(&stream), "a stream");
  check(idc_group_register(group, x, bytes), "the input");
  check(idc_group_register(group, y, bytes), "the result");
  check(idc_group_register(group, workspace, (size_t)workspaceBytes + 16), "the workspace");

  // A plane wave: its transform is one number, at (3, 5, 7).
  float *data = malloc(bytes);
  const double turn = 2 * acos(-1.0) / (double)side;
  for (size_t z = 0; z < planes; ++z)
    for (size_t y1 = 0; y1 < side; ++y1)
      for (size_t x1 = 0; x1 < side; ++x1) {
        const size_t at = 2 * ((z * side + y1) * side + x1);
        const double phase = turn * (double)((3 * (z + planes * (size_t)rank) + 5 * y1 + 7 * x1) % side);
        data[at] = (float)cos(phase);
        data[at + 1] = (float)sin(phase);
      }
  check(idc_device_upload(x, data, bytes, stream), "uploading");

  const void *inputs[] = {x};
  void *outputs[] = {y};
  const int launches = 10;
  double begin = 0;
  for (int i = 0; i <= launches; ++i) {
    if (i == 1) { // the first one is not timed
      check(idc_stream_synchronize(stream), "the first transform");
      MPI_Barrier(world);
      begin = MPI_Wtime();
    }
    check(idc_group_launch(group, module, 1, inputs, NULL, outputs, workspace, stream), "the transform");
  }
  check(idc_stream_synchronize(stream), "the transforms");
  check(idc_group_check(group), "the group");
  const double seconds = (MPI_Wtime() - begin) / launches;

  check(idc_device_download(data, y, bytes, stream), "downloading");
  double error = 0;
  for (size_t i = 0; i < numbers; ++i) {
    const size_t whole = i + numbers * (size_t)rank, wave = (3 * side + 5) * side + 7;
    const double wanted = whole == wave ? (double)side * (double)side * (double)side : 0;
    error = fmax(error, hypot(data[2 * i] - wanted, data[2 * i + 1]));
  }
  error /= (double)side * (double)side * (double)side;
  double worst = 0;
  MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, world);
  if (rank == 0)
    printf("%zu^3 numbers on %d GPUs: %.3f ms, largest error %.1e of the wave: %s\n", side, size, seconds * 1e3, worst,
           worst < 1e-6 ? "right" : "WRONG");

  MPI_Barrier(world);
  check(idc_group_destroy(group), "the group");
  check(idc_module_unload(module), "the module");
  free(data);
  MPI_Finalize();
  return rank == 0 && !(worst < 1e-6);
}
