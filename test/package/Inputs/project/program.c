#include <powers.h>
#include <stdio.h>

int main(void) {
  _Alignas(16) int32_t x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, y[8];
  int status = powers_i32(3, 1, x, y, NULL, NULL);
  printf("%s: %d\n", powers_i32_message(status), y[7]);
  return status;
}
