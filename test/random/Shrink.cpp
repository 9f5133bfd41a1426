#include "Shrink.h"

using namespace idc::random;

namespace {
class Shrinker {
public:
  Shrinker(Program &best, const std::function<bool(const Program &)> &fails, int tries)
      : best(best), fails(fails), tries(tries) {}

  /// One round of everything; false when nothing helped.
  bool round() {
    size_t before = best.text.size();
    uint64_t sumBefore = sum(best.draft);
    for (size_t step = best.draft.steps.size(); step-- > 0;)
      tryDraft([&](Draft &draft) { draft.steps.erase(draft.steps.begin() + step); });
    for (size_t input = best.draft.inputs.size(); input-- > 0;)
      if (best.draft.inputs.size() > 1)
        tryDraft([&](Draft &draft) { draft.inputs.erase(draft.inputs.begin() + input); });
    // A part may vanish while others are lowered: a step that cannot be done any more.
    Numbers none;
    auto at = [&](std::vector<Numbers> &parts, size_t i) -> Numbers & { return i < parts.size() ? parts[i] : none; };
    lower([](Draft &draft) -> Numbers & { return draft.size; });
    lower([](Draft &draft) -> Numbers & { return draft.results; });
    for (size_t input = 0; input < best.draft.inputs.size(); ++input)
      lower([&](Draft &draft) -> Numbers & { return at(draft.inputs, input); });
    for (size_t step = best.draft.steps.size(); step-- > 0;)
      lower([&](Draft &draft) -> Numbers & { return at(draft.steps, step); });
    return best.text.size() < before || sum(best.draft) < sumBefore;
  }

private:
  Program &best;
  const std::function<bool(const Program &)> &fails;
  int tries;

  static uint64_t sum(const Draft &draft) {
    uint64_t total = 0;
    auto add = [&](const Numbers &numbers) {
      for (uint32_t number : numbers)
        total += number;
    };
    add(draft.size);
    add(draft.results);
    for (const Numbers &input : draft.inputs)
      add(input);
    for (const Numbers &step : draft.steps)
      add(step);
    return total;
  }

  template <class Change> bool tryDraft(Change change) {
    if (tries <= 0)
      return false;
    Draft draft = best.draft;
    change(draft);
    Program candidate = write(draft);
    bool smaller = candidate.text.size() < best.text.size() ||
                   (candidate.text.size() == best.text.size() && sum(candidate.draft) < sum(best.draft));
    if (!smaller)
      return false;
    --tries;
    if (!fails(candidate))
      return false;
    best = std::move(candidate);
    return true;
  }

  /// The numbers of one part: the second half of them all 0, then each 0, a half, one less.
  template <class Part> void lower(Part part) {
    auto length = [&] { return part(best.draft).size(); };
    for (size_t keep = length() / 2; keep + 1 < length() && keep > 0; keep = (keep + length()) / 2)
      if (!tryDraft([&](Draft &draft) { part(draft).resize(keep); }))
        break;
    for (size_t i = 0; i < length(); ++i)
      for (int way = 0; way < 3 && i < length() && part(best.draft)[i]; ++way)
        tryDraft([&](Draft &draft) {
          uint32_t &number = part(draft)[i];
          number = way == 0 ? 0 : way == 1 ? number / 2 : number - 1;
        });
  }
};
} // namespace

Program idc::random::shrink(Program program, const std::function<bool(const Program &)> &fails, int tries) {
  Shrinker shrinker(program, fails, tries);
  while (shrinker.round())
    ;
  return program;
}
