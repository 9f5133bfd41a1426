/* Products of polynomials mod 998244353, compared with GMP's product of big integers: all coefficients, exactly. */
#include "cyclic_product.h"

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { batch = 3 };
static const uint64_t modulus = 998244353;

/* Prints what failed and ends the program. */
static void check(int status, const char *what) {
  if (status == IDC_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", what, cyclic_product_message(status));
  exit(1);
}

static void multiply(int64_t n, const uint32_t *a, const uint32_t *b, uint32_t *c) {
  const size_t bytes = (sizeof(uint32_t) * batch) << n;
  const size_t workspace_bytes = (size_t)cyclic_product_workspace_size(n, batch) + 1;
  if (idc_device_available() != IDC_SUCCESS) {
    void *workspace = malloc(workspace_bytes);
    check(cyclic_product(n, batch, a, b, c, workspace, IDC_CPU), "product");
    free(workspace);
    return;
  }
  void *device_a, *device_b, *device_c, *workspace;
  check(idc_device_alloc(bytes, &device_a), "device memory");
  check(idc_device_alloc(bytes, &device_b), "device memory");
  check(idc_device_alloc(bytes, &device_c), "device memory");
  check(idc_device_alloc(workspace_bytes, &workspace), "device memory");
  check(idc_device_upload(device_a, a, bytes, NULL), "upload");
  check(idc_device_upload(device_b, b, bytes, NULL), "upload");
  check(cyclic_product(n, batch, device_a, device_b, device_c, workspace, NULL), "product");
  check(idc_device_download(c, device_c, bytes, NULL), "download");
  idc_device_free(device_a);
  idc_device_free(device_b);
  idc_device_free(device_c);
  idc_device_free(workspace);
}

/* The polynomial as an integer: a coefficient of a product, a sum of `size` products below 2^60, in 96 bits. */
enum { words = 3 };
static void pack(mpz_t number, const uint32_t *coefficients, size_t size) {
  uint32_t *digits = calloc(size * words, sizeof *digits);
  for (size_t i = 0; i < size; ++i)
    digits[i * words] = coefficients[i];
  mpz_import(number, size * words, -1, sizeof *digits, 0, 0, digits);
  free(digits);
}

static size_t wrong_coefficients(int n, const uint32_t *a, const uint32_t *b, const uint32_t *c) {
  const size_t size = (size_t)1 << n;
  mpz_t x, y;
  mpz_inits(x, y, NULL);
  pack(x, a, size);
  pack(y, b, size);
  mpz_mul(x, x, y);
  uint32_t *digits = calloc(2 * size * words, sizeof *digits);
  mpz_export(digits, NULL, -1, sizeof *digits, 0, 0, x);
  mpz_clears(x, y, NULL);
  size_t wrong = 0;
  for (size_t i = 0; i < size; ++i) {
    uint64_t residue = 0;
    for (int word = words; word-- > 0;)
      residue = ((residue << 32) + digits[i * words + (size_t)word]) % modulus;
    wrong += residue != c[i];
  }
  free(digits);
  return wrong;
}

int main(void) {
  size_t wrong = 0;
  uint32_t random = 1;
  for (int n = 10; n <= 16; n += 2) {
    const size_t size = (size_t)1 << n, bytes = sizeof(uint32_t) * batch * size;
    uint32_t *a = calloc(1, bytes), *b = calloc(1, bytes), *c = malloc(bytes);
    for (size_t i = 0; i < batch * size; ++i)
      if (i % size < size / 2) { /* the product has a degree below `size` */
        random = random * 1664525 + 1013904223;
        a[i] = (uint32_t)(random % modulus);
        random = random * 1664525 + 1013904223;
        b[i] = (uint32_t)(random % modulus);
      }
    multiply(n, a, b, c);
    for (int k = 0; k < batch; ++k)
      wrong += wrong_coefficients(n, a + (size_t)k * size, b + (size_t)k * size, c + (size_t)k * size);
    free(a);
    free(b);
    free(c);
  }
  printf("products up to 65536 coefficients on the %s: %zu wrong\n",
         idc_device_available() == IDC_SUCCESS ? "GPU" : "CPU", wrong);
  return wrong != 0;
}
