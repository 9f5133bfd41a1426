#include "Draft.h"

using namespace idc::random;

Draft idc::random::draftProgram(uint64_t seed, uint64_t index) {
  std::seed_seq sequence{uint32_t(seed), uint32_t(seed >> 32), uint32_t(index), uint32_t(index >> 32)};
  std::mt19937 engine(sequence);
  auto numbers = [&](size_t count) {
    Numbers result(count);
    for (uint32_t &number : result)
      number = static_cast<uint32_t>(engine());
    return result;
  };
  Draft draft;
  draft.size = numbers(8);
  size_t inputs = 1 + engine() % 3 * (engine() % 2), steps = 1 + engine() % 8;
  for (size_t i = 0; i < inputs; ++i)
    draft.inputs.push_back(numbers(16));
  for (size_t i = 0; i < steps; ++i)
    draft.steps.push_back(numbers(256)); // more than any step reads
  draft.results = numbers(8);
  return draft;
}
