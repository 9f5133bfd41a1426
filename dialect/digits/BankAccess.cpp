#include "dialect/digits/BankAccess.h"

#include <algorithm>
#include <set>

namespace idc::digits {

/// Shared memory serves 128 bytes, 32 banks of 4, per phase.
static constexpr int64_t phaseBytes = 128;
static constexpr int64_t warpLanes = 32;

int64_t bankCount(int64_t wordBytes) { return phaseBytes / wordBytes; }

int64_t lanesPerPhase(int64_t wordBytes) { return std::min(warpLanes, bankCount(wordBytes)); }

BankAccess worstBankAccess(const Mapping &mapping, const SharedLayout &layout, int64_t wordBytes, int lanes) {
  const int64_t banks = bankCount(wordBytes), perPhase = lanesPerPhase(wordBytes);
  const int64_t active = std::min<int64_t>(lanes, mapping.extent(Field::Lane));
  BankAccess worst;
  for (int64_t warp = 0; warp < mapping.extent(Field::Warp); ++warp)
    for (int64_t reg = 0; reg < mapping.extent(Field::Reg); ++reg) {
      std::vector<int64_t> shared;
      mapping.contribute(Field::Reg, reg, shared);
      mapping.contribute(Field::Warp, warp, shared);
      for (int64_t first = 0; first < active; first += perPhase) {
        BankAccess access{warp, reg, first, {}, 1};
        std::vector<std::set<int64_t>> wordsIn(static_cast<size_t>(banks));
        for (int64_t lane = first; lane < std::min(active, first + perPhase); ++lane) {
          std::vector<int64_t> values = shared;
          mapping.contribute(Field::Lane, lane, values);
          const int64_t word = layout.word(values);
          access.words.push_back(word);
          std::set<int64_t> &bank = wordsIn[static_cast<size_t>(word % banks)];
          bank.insert(word);
          access.conflicts = std::max(access.conflicts, static_cast<int>(bank.size()));
        }
        if (worst.words.empty() || access.conflicts > worst.conflicts)
          worst = std::move(access);
      }
    }
  return worst;
}

} // namespace idc::digits
