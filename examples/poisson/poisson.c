/* Poisson's equation in a box: the order of convergence, and the same discrete solution by FFTW and LAPACK. */
#include "poisson_4.h"
#include "poisson_5.h"
#include "poisson_6.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern void dgtsv_(const int *n, const int *columns, double *below, double *diagonal, double *above, double *b,
                   const int *stride, int *info);

static const double pi = 3.14159265358979323846;

typedef int solver(int64_t l, int64_t m, int64_t n, int64_t batch, const double *f, double hx, double hy, double hz,
                   double *u, void *workspace, void *stream);
typedef int64_t workspace_size(int64_t l, int64_t m, int64_t n, int64_t batch);

/* Prints what failed and ends the program. */
static void check(int status, const char *what) {
  if (status == IDC_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", what, idc_message(status));
  exit(1);
}

/* On the GPU when there is one. */
static void solve(int level, solver *run, workspace_size *size, const double *f, double hx, double hz, double *u) {
  const size_t bytes = sizeof(double) << 3 * level, workspace_bytes = (size_t)size(level, level, level, 1) + 1;
  if (idc_device_available() != IDC_SUCCESS) {
    void *workspace = malloc(workspace_bytes);
    check(run(level, level, level, 1, f, hx, hx, hz, u, workspace, IDC_CPU), "poisson");
    free(workspace);
    return;
  }
  void *device_f, *device_u, *workspace;
  check(idc_device_alloc(bytes, &device_f), "device memory");
  check(idc_device_alloc(bytes, &device_u), "device memory");
  check(idc_device_alloc(workspace_bytes, &workspace), "device memory");
  check(idc_device_upload(device_f, f, bytes, NULL), "upload");
  check(run(level, level, level, 1, device_f, hx, hx, hz, device_u, workspace, NULL), "poisson");
  check(idc_device_download(u, device_u, bytes, NULL), "download");
  idc_device_free(device_f);
  idc_device_free(device_u);
  idc_device_free(workspace);
}

/* The same equations: a transform of every plane, then a tridiagonal system for every frequency. */
static void solve_by_fftw_and_lapack(int size, const double *f, double hx, double hz, double *u) {
  const int plane = size * size, count = plane * size;
  fftw_complex *s = fftw_malloc(sizeof *s * (size_t)count);
  const int sides[2] = {size, size};
  fftw_plan forward =
      fftw_plan_many_dft(2, sides, size, s, NULL, 1, plane, s, NULL, 1, plane, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan backward =
      fftw_plan_many_dft(2, sides, size, s, NULL, 1, plane, s, NULL, 1, plane, FFTW_BACKWARD, FFTW_ESTIMATE);
  for (int i = 0; i < count; ++i)
    s[i] = f[i];
  fftw_execute(forward);
  double *below = malloc(sizeof(double) * (size_t)size * 5), *diagonal = below + size, *above = diagonal + size,
         *b = above + size;
  for (int i = 0; i < plane; ++i) {
    double sx = sin(pi * (i % size) / size) / hx, sy = sin(pi * (i / size) / size) / hx;
    for (int z = 0; z < size; ++z) {
      below[z] = above[z] = -1 / (hz * hz);
      diagonal[z] = 4 * sx * sx + 4 * sy * sy + 2 / (hz * hz);
      b[z] = creal(s[z * plane + i]);
      b[size + z] = cimag(s[z * plane + i]);
    }
    int columns = 2, info;
    dgtsv_(&size, &columns, below, diagonal, above, b, &size, &info);
    for (int z = 0; z < size; ++z)
      s[z * plane + i] = b[z] + I * b[size + z];
  }
  fftw_execute(backward);
  for (int i = 0; i < count; ++i)
    u[i] = creal(s[i]) / plane;
  free(below);
  fftw_destroy_plan(forward);
  fftw_destroy_plan(backward);
  fftw_free(s);
}

int main(void) {
  solver *const solvers[] = {poisson_4, poisson_5, poisson_6};
  workspace_size *const sizes[] = {poisson_4_workspace_size, poisson_5_workspace_size, poisson_6_workspace_size};
  double before = 0, order = 0, worst = 0;
  printf("on the %s\n points   error      order   against FFTW and LAPACK\n",
         idc_device_available() == IDC_SUCCESS ? "GPU" : "CPU");
  for (int level = 4; level <= 6; ++level) {
    const int size = 1 << level, count = size * size * size;
    const double hx = 1.0 / size, hz = 1.0 / (size + 1);
    double *f = malloc(sizeof(double) * (size_t)count * 3), *u = f + count, *other = u + count;
    double error = 0, difference = 0, largest = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < count; ++i) {
        double x = i % size * hx, y = i / size % size * hx, z = (i / size / size + 1) * hz;
        double exact = exp(sin(2 * pi * x)) * cos(4 * pi * y) * sin(pi * z);
        double cosine = cos(2 * pi * x), second = 4 * pi * pi * (cosine * cosine - sin(2 * pi * x));
        if (pass == 0)
          f[i] = (17 * pi * pi - second) * exact;
        else
          error = fmax(error, fabs(u[i] - exact));
      }
      if (pass == 0)
        solve(level, solvers[level - 4], sizes[level - 4], f, hx, hz, u);
    }
    solve_by_fftw_and_lapack(size, f, hx, hz, other);
    for (int i = 0; i < count; ++i) {
      difference = fmax(difference, fabs(u[i] - other[i]));
      largest = fmax(largest, fabs(other[i]));
    }
    order = before > 0 ? log2(before / error) : NAN;
    printf("%4d^3   %.2e   %5.2f   %.0e\n", size, error, order, difference / largest);
    before = error;
    worst = fmax(worst, difference / largest);
    free(f);
  }
  return order > 1.9 && worst < 1e-12 ? 0 : 1;
}
