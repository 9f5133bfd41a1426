// cpu-accuracy: errors of the library's tridiagonal solvers, compiled for this computer's CPU, and of LAPACK's gtsv on
// hard systems, as comma-separated values on standard output.
//
// usage: cpu-accuracy EXPONENT...      systems of 2^EXPONENT rows
// Exit status: 0 all done, 1 a solver with a status gave numbers that are not finite without saying so, 2 wrong use.
#include "AccuracyRows.h"
#include "host/ToolMain.h"
#include "test/unit/stdlib/Execution.h"
#include "test/unit/stdlib/Gtsv.h"
#include <cstdio>
#include <cstring>
#include <utility>

namespace {

using namespace hard;

/// LAPACK's solution; numbers that are not finite where it finds the matrix singular.
template <class T> std::vector<T> solveByLapack(const System<T> &system) {
  std::vector<T> solution = idc::test::gtsv(system.a, system.b, system.c, system.d);
  if (solution.empty())
    solution.assign(system.d.size(), std::numeric_limits<T>::quiet_NaN());
  return solution;
}

template <class T> std::vector<char> bytes(const std::vector<T> &values) {
  std::vector<char> result(values.size() * sizeof(T));
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

template <class T> void measure(const std::string &type, int n, AccuracyRows &rows) {
  const std::pair<const char *, const char *> solvers[] = {{"tridiagonal.id", "tridiagonal_checked"},
                                                           {"tridiagonal.id", "tridiagonal"},
                                                           {"tridiagonal.id", "wang_mou"},
                                                           {"tridiagonal_pivoting.id", "tridiagonal_pivoting"},
                                                           {"tridiagonal_pivoting.id", "tridiagonal_pivoting_checked"}};
  for (const auto &[file, entry] : solvers) {
    const idc::test::Executable solver(idc::test::Device::Cpu, file, entry, {{"n", n}}, {{"T", type}});
    for (const Matrix &matrix : matrices()) {
      const System<T> system = makeSystem<T>(matrix, size_t(1) << n);
      const std::vector<std::vector<char>> results =
          solver.run({bytes(system.a), bytes(system.b), bytes(system.c), bytes(system.d)}, 1);
      std::optional<int> status;
      if (results.size() > 1) {
        int32_t value;
        std::memcpy(&value, results[1].data(), sizeof value);
        status = value;
      }
      const std::vector<long double> exact = solution(system);
      rows.add(matrix, n, type, entry, errorsOf(system, exact, reinterpret_cast<const T *>(results[0].data())), status);
    }
  }
  for (const Matrix &matrix : matrices()) {
    const System<T> system = makeSystem<T>(matrix, size_t(1) << n);
    rows.add(matrix, n, type, "LAPACK gtsv", errorsOf(system, solution(system), solveByLapack(system).data()));
  }
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Errors of the library's tridiagonal solvers and of LAPACK's on hard systems (docs/tridiagonal.md).");
  std::vector<int> exponents;
  tool.add_option("EXPONENTS", exponents, "n of the sizes 2^n")->type_name("N")->required()->check(CLI::Range(1, 24));
  return idc::host::toolMain(
      tool, argc, argv,
      [&exponents] {
        AccuracyRows rows(stdout);
        for (int n : exponents) {
          measure<float>("f32", n, rows);
          measure<double>("f64", n, rows);
        }
        return rows.failed() ? 1 : 0;
      },
      2);
}
