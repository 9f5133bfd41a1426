//===- TwoDevices.h - a program for two devices -----------------*- C++ -*-===//

#ifndef IDC_TEST_UNIT_RUNTIME_TWODEVICES_H
#define IDC_TEST_UNIT_RUNTIME_TWODEVICES_H

#include <string>

namespace idc::test {

/// The manifest of `entry`, of whose x and y, 8 numbers, two devices have 4 each: those with its number in the digit
/// above `belowX` and `belowY` numbers. They meet in the kernel "meet", then come `kernels`.
inline std::string manifestOfTwo(const std::string &entry, int belowX, int belowY, const std::string &kernels) {
  auto array = [](const std::string &name, int below) {
    return R"([{"name": ")" + name + R"(", "type": "f32", "elementBytes": 4, "elements": 4, "devices": [{"below": )" +
           std::to_string(below) + R"(, "radix": 2}]}])";
  };
  return R"({"idc": 2, "entry": ")" + entry + R"(", "symbol": ")" + entry +
         R"(_f32", "target": "sm_90", "devices": 2, "inputs": )" + array("x", belowX) + R"(, "outputs": )" +
         array("y0", belowY) + R"(, "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
  "kernels": [
    {"name": "meet", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 9223372036854775807, "blocksPerGroup": 1,
     "sharedBytes": 0, "args": [{"meeting": 0}, {"meeting": 1}, {"report": true}, {"launched": true},
      {"ownDevice": true}, {"batch": true}]},
    )" + kernels +
         "]}";
}

} // namespace idc::test

#endif // IDC_TEST_UNIT_RUNTIME_TWODEVICES_H
