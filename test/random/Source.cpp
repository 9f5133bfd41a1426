#include "Source.h"

#include "Writer.h"

using namespace idc::random;

static std::vector<int> pickShape(Choices &choices, int64_t maxElements) {
  static const std::vector<int> mixed = {2, 2, 3, 2, 5, 4, 2, 7};
  bool binary = choices.pick(8) < 6;
  int digits = choices.between(1, 12);
  std::vector<int> radices;
  int64_t elements = 1;
  for (int i = 0; i < digits; ++i) {
    int radix = binary ? 2 : choices.pick(mixed);
    if (elements * radix > maxElements)
      break;
    radices.push_back(radix);
    elements *= radix;
  }
  if (choices.oneIn(40))
    radices.clear();
  return radices;
}

Program idc::random::write(const Draft &draft) {
  static const std::vector<int64_t> sizes = {16, 64, 256, 64, 16, 1024, 128, 256, 32, 2048};
  Program program;
  Choices size(draft.size);
  static const std::vector<int64_t> batches = {1, 3, 2, 5, 40}; // many make whole blocks of small problems
  program.batch = size.pick(batches);
  Shared shared;
  shared.maxElements = size.pick(sizes);
  program.draft.size = size.used();

  std::vector<Sequence> inputs;
  std::string parameters;
  for (const Numbers &numbers : draft.inputs) {
    Choices choices(numbers);
    Sequence input;
    input.name = "x" + std::to_string(inputs.size());
    // Often like the first, so that they can be combined.
    bool sameType = !inputs.empty() && choices.pick(3), sameShape = !inputs.empty() && choices.pick(4);
    input.type = sameType ? inputs[0].type : pickType(choices, true);
    input.radices = sameShape ? inputs[0].radices : pickShape(choices, shared.maxElements);
    if (sameShape && choices.oneIn(4)) // its lowest digits: to be repeated along the others
      input.radices.resize(choices.pick(static_cast<uint32_t>(input.radices.size() + 1)));
    for (const LeafOf &leaf : leavesOf(input.type))
      input.bounds.push_back({leaf.type.isComplex() ? 1.5 : 1, 0});
    parameters +=
        (inputs.empty() ? "" : ", ") + input.name + ": " + spell(shared.names.name(input.type), input.radices);
    inputs.push_back(std::move(input));
    program.draft.inputs.push_back(choices.used());
  }

  Writer writer(shared, inputs);
  for (const Numbers &numbers : draft.steps) {
    Choices choices(numbers);
    if (writer.step(choices))
      program.draft.steps.push_back(choices.used());
  }

  // The last value always, since all others may be there for it.
  Choices results(draft.results);
  std::vector<const Sequence *> returned;
  returned.push_back(&writer.values.back());
  int more = results.pick(4) < 2 ? 0 : results.between(1, 2);
  for (int i = 0; i < more; ++i)
    returned.push_back(&results.pick(writer.values));
  program.draft.results = results.used();
  std::string types, names;
  for (const Sequence *value : returned) {
    types += (types.empty() ? "" : ", ") + spell(shared.names.name(value->type), value->radices);
    names += (names.empty() ? "" : ", ") + value->name;
    program.results.push_back(value->bounds);
  }
  if (returned.size() > 1) {
    types = "(" + types + ")";
    names = "(" + names + ")";
  }
  program.text = shared.names.declarations() + shared.declarations + "algorithm f(" + parameters + ") -> " + types +
                 " {\n" + writer.statements + "  return " + names + ";\n}\n";
  return program;
}
