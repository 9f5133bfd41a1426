/* Poisson's equation with mixed boundaries: against LAPACK, and the order of convergence against an exact solution. */
#include "box_16.h"
#include "box_32.h"
#include "box_64.h"
#include "box_8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern void dgesv_(const int *n, const int *columns, double *matrix, const int *stride, int *pivots, double *b,
                   const int *b_stride, int *info);

static const double pi = 3.14159265358979323846;
enum { levels = 4, smallest = 8 };

typedef int solver(int64_t l, int64_t m, int64_t n, int64_t batch, const double *f, double hz, double hy, double hx,
                   double *u, void *workspace, void *stream);
typedef int64_t workspace_size(int64_t l, int64_t m, int64_t n, int64_t batch);
static solver *const solvers[levels] = {box_8, box_16, box_32, box_64};
static workspace_size *const sizes[levels] = {box_8_workspace_size, box_16_workspace_size, box_32_workspace_size,
                                              box_64_workspace_size};

/* The steps for a box of 1 (z) by 2 (y) by 3 (x). */
static const double length_z = 1, length_y = 2, length_x = 3;

/* Prints what failed and ends the program. */
static void check(int status, const char *what) {
  if (status == IDC_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", what, idc_message(status));
  exit(1);
}

/* On the GPU when there is one. */
static void solve(int level, const double *f, double *u) {
  const int n = smallest << level;
  const double hz = length_z / n, hy = length_y / n, hx = length_x / n;
  const size_t bytes = sizeof(double) * (size_t)n * (size_t)n * (size_t)n;
  const size_t workspace_bytes = (size_t)sizes[level](n, n, n, 1) + 1;
  if (idc_device_available() != IDC_SUCCESS) {
    void *workspace = malloc(workspace_bytes);
    check(solvers[level](n, n, n, 1, f, hz, hy, hx, u, workspace, IDC_CPU), "box");
    free(workspace);
    return;
  }
  void *device_f, *device_u, *workspace;
  check(idc_device_alloc(bytes, &device_f), "device memory");
  check(idc_device_alloc(bytes, &device_u), "device memory");
  check(idc_device_alloc(workspace_bytes, &workspace), "device memory");
  check(idc_device_upload(device_f, f, bytes, NULL), "upload");
  check(solvers[level](n, n, n, 1, device_f, hz, hy, hx, device_u, workspace, NULL), "box");
  check(idc_device_download(u, device_u, bytes, NULL), "download");
  idc_device_free(device_f);
  idc_device_free(device_u);
  idc_device_free(workspace);
}

/* Adds the differences along one axis to the row of a cell. `stride`: from a cell to the next; `before`, `after`: the
   weights of the cell itself for the values beyond the ends, which are its own (no slope) or minus it (u = 0). */
static void add_differences(double *row, int cell, int place, int stride, int n, double h, int periodic, double before,
                            double after) {
  row[cell] += 2 / (h * h);
  for (int side = -1; side <= 1; side += 2) {
    const int beside = place + side;
    if (beside >= 0 && beside < n)
      row[cell + side * stride] -= 1 / (h * h);
    else if (periodic)
      row[cell - side * (n - 1) * stride] -= 1 / (h * h);
    else
      row[cell] -= (side < 0 ? before : after) / (h * h);
  }
}

/* The largest difference to LAPACK's solution of the assembled equations, over the largest value. */
static double against_lapack(void) {
  const int n = smallest, count = n * n * n, one = 1;
  double *matrix = calloc((size_t)count * (size_t)count, sizeof(double)),
         *f = malloc(sizeof(double) * (size_t)count * 3);
  double *u = f + count, *b = u + count, difference = 0, largest = 0;
  int *pivots = malloc(sizeof(int) * (size_t)count), info;
  for (int i = 0; i < count; ++i) {
    f[i] = b[i] = sin(i * i % 97);
    /* LAPACK's columns are C's rows: it solves with the transpose, and the matrix is symmetric. */
    double *row = matrix + (size_t)i * (size_t)count;
    add_differences(row, i, i % n, 1, n, length_x / n, 1, 0, 0);
    add_differences(row, i, i / n % n, n, n, length_y / n, 0, 1, 1);
    add_differences(row, i, i / n / n, n * n, n, length_z / n, 0, -1, 1);
  }
  solve(0, f, u);
  dgesv_(&count, &one, matrix, &count, pivots, b, &count, &info);
  for (int i = 0; i < count; ++i) {
    difference = fmax(difference, fabs(u[i] - b[i]));
    largest = fmax(largest, fabs(b[i]));
  }
  free(matrix);
  free(f);
  free(pivots);
  return info ? INFINITY : difference / largest;
}

/* The largest error against u = exp(sin(2πx/3)) · cos(πy) · sin(πz/2). */
static double error_of(int level) {
  const int n = smallest << level, count = n * n * n;
  double *f = malloc(sizeof(double) * (size_t)count * 3), *u = f + count, *exact = u + count, error = 0;
  for (int i = 0; i < count; ++i) {
    const double x = (i % n + 0.5) * length_x / n, y = (i / n % n + 0.5) * length_y / n;
    const double z = (i / n / n + 0.5) * length_z / n, w = 2 * pi / length_x;
    exact[i] = exp(sin(w * x)) * cos(pi * y) * sin(pi * z / 2);
    f[i] = (w * w * (sin(w * x) - cos(w * x) * cos(w * x)) + pi * pi + pi * pi / 4) * exact[i];
  }
  solve(level, f, u);
  for (int i = 0; i < count; ++i)
    error = fmax(error, fabs(u[i] - exact[i]));
  free(f);
  return error;
}

int main(void) {
  printf("on the %s\n", idc_device_available() == IDC_SUCCESS ? "GPU" : "CPU");
  const double difference = against_lapack();
  printf("%d^3 cells against LAPACK: %.0e\n cells    error      order\n", smallest, difference);
  double before = NAN, order = NAN;
  for (int level = 0; level < levels; ++level) {
    const double error = error_of(level);
    order = log2(before / error);
    printf("%3d^3   %.2e   %5.2f\n", smallest << level, error, order);
    before = error;
  }
  return difference < 1e-12 && fabs(order - 2) < 0.05 ? 0 : 1;
}
