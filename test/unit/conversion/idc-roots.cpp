// Prints every root of the orders FIRST to LAST, a line each, in hexadecimal: ORDER EXPONENT REAL IMAGINARY.
#include "compiler/conversion/RootOfUnity.h"

#include "host/ToolMain.h"

#include <cstdio>

int main(int argc, char **argv) {
  CLI::App tool("Prints roots of unity as kernels have them, for test/conversion/roots.py.");
  int64_t first = 0, last = 0;
  tool.add_option("FIRST", first, "order")->type_name("")->required()->check(idc::host::atLeast(1));
  tool.add_option("LAST", last, "order")->type_name("")->required();
  return idc::host::toolMain(tool, argc, argv, [&] {
    for (int64_t order = first; order <= last; ++order)
      for (int64_t exponent = 0; exponent < order; ++exponent) {
        const std::complex<double> root = idc::conversion::rootOfUnity(order, exponent);
        std::printf("%lld %lld %a %a\n", (long long)order, (long long)exponent, root.real(), root.imag());
      }
    return 0;
  });
}
