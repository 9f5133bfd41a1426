//===- Oracle.cpp - what programs are compared with -------------------------===//

#include "Oracle.h"

#include <fftw3.h>

using namespace idc::test;

std::optional<Oracle> idc::test::oracleNamed(const std::string &name) {
  if (name == "dft")
    return Oracle::Dft;
  if (name == "inverse-dft")
    return Oracle::InverseDft;
  if (name == "walsh-hadamard")
    return Oracle::WalshHadamard;
  return std::nullopt;
}

bool idc::test::isComplex(Oracle oracle) { return oracle != Oracle::WalshHadamard; }

static void applyDft(int sign, int64_t points, Values &values) {
  int length = int(points);
  int rows = int(int64_t(values.size()) / points);
  auto *data = reinterpret_cast<fftwl_complex *>(values.data());
  fftwl_plan plan =
      fftwl_plan_many_dft(1, &length, rows, data, nullptr, 1, length, data, nullptr, 1, length, sign, FFTW_ESTIMATE);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
}

static void applyWalshHadamard(int64_t points, Values &values) {
  for (int64_t stride = 1; stride < points; stride *= 2)
    for (int64_t i = 0; i < int64_t(values.size()); ++i)
      if (!(i & stride)) {
        auto low = values[i], high = values[i + stride];
        values[i] = low + high;
        values[i + stride] = low - high;
      }
}

void idc::test::apply(Oracle oracle, int64_t points, Values &values) {
  switch (oracle) {
  case Oracle::Dft:
    return applyDft(FFTW_FORWARD, points, values);
  case Oracle::InverseDft:
    applyDft(FFTW_BACKWARD, points, values);
    for (auto &value : values)
      value /= static_cast<long double>(points);
    return;
  case Oracle::WalshHadamard:
    return applyWalshHadamard(points, values);
  }
}
