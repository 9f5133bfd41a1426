//===- DeviceCompare.cpp - compares results on the device -----------------===//

#include "host/DeviceCompare.h"

#include <algorithm>
#include <cstring>

namespace idc::host {

namespace {

// One thread per word of 16 bytes: differs = any bit differs; count += differs.
constexpr char image[] = R"(
.version 7.0
.target sm_70
.address_size 64
// entry: compare
.visible .entry compare (.param .u64 first, .param .u64 second, .param .u64 count, .param .u64 words)
{
  .reg .pred outside, equal;
  .reg .b32 t, b, d0, d1, d2, d3, x<4>, y<4>;
  .reg .b64 i, n, p, q, c;
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mul.wide.u32 i, b, 256;
  cvt.u64.u32 n, t;
  add.u64 i, i, n;
  ld.param.u64 n, [words];
  setp.ge.u64 outside, i, n;
  @outside ret;
  shl.b64 i, i, 4;
  ld.param.u64 p, [first];
  ld.param.u64 q, [second];
  add.u64 p, p, i;
  add.u64 q, q, i;
  ld.global.v4.b32 {x0, x1, x2, x3}, [p];
  ld.global.v4.b32 {y0, y1, y2, y3}, [q];
  xor.b32 d0, x0, y0;
  xor.b32 d1, x1, y1;
  xor.b32 d2, x2, y2;
  xor.b32 d3, x3, y3;
  or.b32 d0, d0, d1;
  or.b32 d2, d2, d3;
  or.b32 d0, d0, d2;
  setp.eq.u32 equal, d0, 0;
  @equal ret;
  ld.param.u64 c, [count];
  red.global.add.u64 [c], 1;
  ret;
}
)";
// A problem is a word; the one output is a number for all of them.
constexpr char manifest[] = R"({"idc": 1, "entry": "compare", "symbol": "compare", "target": "sm_70",
  "inputs": [{"name": "first", "type": "u64[2]", "elementBytes": 16, "elements": 1},
             {"name": "second", "type": "u64[2]", "elementBytes": 16, "elements": 1}],
  "outputs": [{"name": "count", "type": "u64", "elementBytes": 8, "elements": 1}],
  "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
  "kernels": [{"name": "compare", "kind": "plain", "threads": 256, "cluster": 1, "problemsPerBlockGroup": 256,
    "blocksPerGroup": 1, "sharedBytes": 0,
    "args": [{"input": 0}, {"input": 1}, {"output": 0}, {"batch": true}]}]})";

} // namespace

DeviceCompare::DeviceCompare(Memory &memory) : memory(memory) {
  check(idc_module_load(image, sizeof image - 1, manifest, sizeof manifest - 1, &module));
}

DeviceCompare::~DeviceCompare() { idc_module_unload(module); }

int64_t DeviceCompare::differences(const char *first, const char *second, int64_t bytes) {
  constexpr int64_t word = 16;
  int64_t number = 0;
  char zeros[word] = {};
  // A launch's outputs have a place for every problem, and nothing else may lie there.
  if (bytes > largest) {
    count = memory.allocate(std::max<int64_t>(word, bytes / word * static_cast<int64_t>(sizeof number)));
    largest = bytes;
  }
  memory.upload(count.get(), zeros, word);
  const void *inputs[] = {first, second};
  void *outputs[] = {count.get()};
  check(idc_launch(module, bytes / word, inputs, nullptr, outputs, nullptr, memory.stream()));
  memory.download(reinterpret_cast<char *>(&number), count.get(), sizeof number);
  return number;
}

} // namespace idc::host
