#include "dialect/digits/SharedLayout.h"
#include "dialect/digits/BankAccess.h"
#include "dialect/digits/Gf2.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace idc::digits {

static int log2Floor(int64_t x) { return 63 - __builtin_clzll(static_cast<uint64_t>(x)); }

uint32_t SharedLayout::column(int digit) const {
  for (const auto &[held, value] : columns)
    if (held == digit)
      return value;
  return 0;
}

int64_t SharedLayout::word(const std::vector<int64_t> &digitValues) const {
  int64_t result = 0;
  for (const auto &[digit, value] : columns) {
    if (digit > static_cast<int>(digitValues.size()))
      break;
    const int64_t part = digitValues[digit - 1] * value;
    result = padded ? result + part : result ^ part;
  }
  return result;
}

// With w(i) the product of the radices below digit i of a number, and c(i) its column:
//   Σ (number / w(i) mod r(i)) · c(i)  =  Σ (number / w(i)) · (c(i) - r(i-1) · c(i-1)).
std::vector<SharedLayout::Term> SharedLayout::terms(const std::vector<int> &digits,
                                                    const std::vector<int64_t> &radices) const {
  std::vector<Term> terms;
  int64_t divisor = 1, follows = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int64_t own = column(digits[i]);
    if (own != follows)
      terms.push_back({divisor, own - follows});
    follows = own * radices[i];
    divisor *= radices[i];
  }
  return terms;
}

//===----------------------------------------------------------------------===//
// Radix 2: the swizzle
//===----------------------------------------------------------------------===//

namespace {
/// The spaces of the construction, in coordinates of the destination's columns apart from rank.
class Swizzle {
public:
  Swizzle(const Mapping &source, const Mapping &destination, int64_t wordBytes)
      : bankBits(log2Floor(bankCount(wordBytes))), phaseBits(log2Floor(lanesPerPhase(wordBytes))) {
    for (const Mapping *m : {&source, &destination})
      for (Field f : {Field::Reg, Field::Lane, Field::Warp, Field::Rank})
        for (const Column &column : (*m)[f])
          for (int digit : column.digits)
            bits.emplace(digit, 0);
    int next = 0;
    for (auto &entry : bits)
      entry.second = next++;

    gf2::Matrix whole;
    for (Field f : {Field::Lane, Field::Warp, Field::Reg, Field::Rank}) {
      for (const Column &column : destination[f])
        if (!column.digits.empty())
          whole.push_back(vectorOf(column));
      if (f == Field::Reg)
        dimension = static_cast<int>(whole.size());
    }
    gf2::invert(whole, coordinates);
    bankBits = std::min(bankBits, dimension);

    sourceLanes = project(source[Field::Lane]);
    sourceRest = project(source[Field::Warp]);
    sourceRegs = project(source[Field::Reg]);
    sourceRanks = project(source[Field::Rank]);
    destinationLanes = project(destination[Field::Lane]);
    destinationWarps = project(destination[Field::Warp]);
    destinationRegs = project(destination[Field::Reg]);
  }

  SharedLayout solve() const {
    const size_t n = bankBits;
    gf2::Matrix s = gf2::basis(phase(sourceLanes)), d = gf2::basis(phase(destinationLanes));
    extend(s, d, n);
    for (const gf2::Matrix *more : {&sourceLanes, &sourceRest, &sourceRegs, &sourceRanks})
      extend(s, *more, n);
    extend(d, s, n);

    const gf2::Matrix both = gf2::intersection(s, d);
    const gf2::Matrix a = gf2::complement(both, s), b = gf2::complement(both, d);
    gf2::Matrix sum = s;
    sum.insert(sum.end(), d.begin(), d.end());
    gf2::Matrix candidates;
    for (const gf2::Matrix *more : {&sourceLanes, &sourceRest, &sourceRegs, &sourceRanks})
      candidates.insert(candidates.end(), more->begin(), more->end());

    // (the vector that holds the row bit, the segment vector)
    std::vector<std::pair<gf2::Vector, gf2::Vector>> rows;
    for (size_t i = 0; i < a.size(); ++i)
      rows.emplace_back(b[i], a[i] ^ b[i]);
    for (gf2::Vector c : gf2::complement(sum, candidates))
      rows.emplace_back(c, c);
    const std::map<gf2::Vector, int> order = rowOrder();
    auto rowKey = [&](gf2::Vector v) {
      auto it = order.find(v);
      return it == order.end() ? static_cast<int>(order.size()) : it->second;
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto &x, const auto &y) { return rowKey(x.first) < rowKey(y.first); });

    gf2::Matrix offsets = banks(s);
    for (const auto &row : rows)
      offsets.push_back(row.second);
    gf2::Matrix words;
    gf2::invert(offsets, words);

    SharedLayout layout;
    layout.words = int64_t(1) << dimension;
    for (const auto &[digit, bit] : bits)
      if (const gf2::Vector word = gf2::apply(words, project(gf2::Vector(1) << bit)))
        layout.columns.emplace_back(digit, static_cast<uint32_t>(word));
    return layout;
  }

private:
  gf2::Vector vectorOf(const Column &column) const {
    gf2::Vector v = 0;
    for (int digit : column.digits)
      v |= gf2::Vector(1) << bits.at(digit);
    return v;
  }
  gf2::Vector project(gf2::Vector v) const { return gf2::apply(coordinates, v) & ((gf2::Vector(1) << dimension) - 1); }
  gf2::Matrix project(const std::vector<Column> &columns) const {
    gf2::Matrix result;
    for (const Column &column : columns)
      result.push_back(project(vectorOf(column)));
    return result;
  }
  /// The lane columns that vary within one access phase.
  gf2::Matrix phase(const gf2::Matrix &lanes) const {
    return gf2::Matrix(lanes.begin(), lanes.begin() + std::min<size_t>(lanes.size(), phaseBits));
  }
  static void extend(gf2::Matrix &space, const gf2::Matrix &candidates, size_t size) {
    for (gf2::Vector v : gf2::complement(space, candidates))
      if (space.size() < size)
        space.push_back(v);
  }
  /// S in bank order: a lane's own bit where it can be, so that the emitted index is one AND and one shift.
  gf2::Matrix banks(const gf2::Matrix &s) const {
    gf2::Matrix result(s.size(), 0), rest;
    for (gf2::Vector v : s) {
      bool placed = false;
      for (const gf2::Matrix *lanes : {&sourceLanes, &destinationLanes}) {
        const size_t at = std::find(lanes->begin(), lanes->end(), v) - lanes->begin();
        if (!placed && at < lanes->size() && at < result.size() && !result[at]) {
          result[at] = v;
          placed = true;
        }
      }
      if (!placed)
        rest.push_back(v);
    }
    size_t next = 0;
    for (gf2::Vector v : rest) {
      while (result[next])
        ++next;
      result[next] = v;
    }
    return result;
  }
  /// Row bits: source lanes and warps in hardware order, then source registers, those that stay registers on top (pure
  /// address offsets on both sides).
  std::map<gf2::Vector, int> rowOrder() const {
    std::map<gf2::Vector, int> order;
    auto place = [&](gf2::Vector v) { order.emplace(v, static_cast<int>(order.size())); };
    for (const gf2::Matrix *threads : {&sourceLanes, &sourceRest, &destinationLanes, &destinationWarps})
      for (gf2::Vector v : *threads)
        place(v);
    for (const gf2::Matrix *others : {&sourceRanks, &sourceRegs, &destinationRegs})
      for (gf2::Vector v : *others)
        place(v);
    return order;
  }

  int bankBits, phaseBits, dimension = 0;
  std::map<int, int> bits; // digit -> coordinate
  gf2::Matrix coordinates; // digits to destination columns
  gf2::Matrix sourceLanes, sourceRest, sourceRegs, sourceRanks, destinationLanes, destinationWarps, destinationRegs;
};
} // namespace

SharedLayout swizzledLayout(const Mapping &source, const Mapping &destination, int64_t wordBytes) {
  return Swizzle(source, destination, wordBytes).solve();
}

//===----------------------------------------------------------------------===//
// Any radix: padding
//===----------------------------------------------------------------------===//

namespace {
/// What an access of one side costs under an additive layout: the digit values of the distinct elements of each phase,
/// of the digits that change from lane to lane, and the block whose memory holds them.
class PhaseCounter {
public:
  /// `ranks`: the digits that number blocks, where the access goes to other ones.
  PhaseCounter(const Mapping &mapping, const std::vector<int> &order, const std::set<int> &ranks, int64_t wordBytes,
               int lanes)
      : wordBytes(wordBytes), banks(static_cast<uint32_t>(bankCount(wordBytes))), hits(banks) {
    const int64_t perPhase = lanesPerPhase(wordBytes);
    std::set<int> held;
    for (const Column &column : mapping[Field::Lane])
      held.insert(column.digits.begin(), column.digits.end());
    for (size_t i = 0; i < order.size(); ++i)
      if (held.count(order[i]))
        places.push_back(i);
    std::set<Element> seen;
    for (int64_t lane = 0; lane < std::min<int64_t>(lanes, mapping.extent(Field::Lane)); ++lane) {
      if (lane % perPhase == 0) {
        phases.emplace_back();
        seen.clear();
      }
      std::vector<int64_t> all;
      mapping.contribute(Field::Lane, lane, all);
      auto valueOf = [&](int digit) { return digit <= static_cast<int>(all.size()) ? all[digit - 1] : 0; };
      Element element;
      for (size_t i : places)
        element.values.push_back(valueOf(order[i]));
      for (int digit : ranks)
        element.block = element.block * mapping.radix(digit) + valueOf(digit);
      if (seen.insert(element).second)
        phases.back().push_back(std::move(element));
    }
  }
  /// The places in the order up to which digits change from lane to lane.
  size_t end() const { return places.empty() ? 0 : places.back() + 1; }
  /// Words that meet in a bank, at most; where they are more than `most`, some number above that.
  int conflicts(const std::vector<int64_t> &strides, int most) {
    int worst = 1;
    for (const auto &phase : phases) {
      std::fill(hits.begin(), hits.end(), 0);
      for (const Element &element : phase)
        worst = std::max(worst, ++hits[static_cast<uint32_t>(word(element, strides)) % banks]);
      if (worst > most)
        break;
    }
    return worst;
  }
  /// Sectors of the blocks' memories that a phase touches, at most, and the fewest that hold its words.
  int sectors(const std::vector<int64_t> &strides) const {
    size_t worst = 1;
    for (const auto &phase : phases) {
      std::set<std::pair<int64_t, int64_t>> touched;
      for (const Element &element : phase)
        touched.emplace(element.block, word(element, strides) * wordBytes / sectorBytes);
      worst = std::max(worst, touched.size());
    }
    return static_cast<int>(worst);
  }
  int fewestSectors() const {
    size_t words = 1;
    for (const auto &phase : phases)
      words = std::max(words, phase.size());
    return static_cast<int>((static_cast<int64_t>(words) * wordBytes + sectorBytes - 1) / sectorBytes);
  }

private:
  static constexpr int64_t sectorBytes = 32;
  struct Element {
    std::vector<int64_t> values; // of the digits at `places`; the others are 0
    int64_t block = 0;
    bool operator<(const Element &other) const { return std::tie(values, block) < std::tie(other.values, other.block); }
  };
  int64_t word(const Element &element, const std::vector<int64_t> &strides) const {
    int64_t word = 0;
    for (size_t i = 0; i < places.size(); ++i)
      word += element.values[i] * strides[places[i]];
    return word;
  }
  int64_t wordBytes;
  uint32_t banks;
  std::vector<int> hits;
  std::vector<size_t> places; // in the order, of the digits that lanes hold
  std::vector<std::vector<Element>> phases;
};
} // namespace

/// The digits of a mapping without those in `left`, thread fields first.
static std::vector<int> threadsFirst(const Mapping &mapping, const std::set<int> &left) {
  std::vector<int> order;
  for (Field f : {Field::Lane, Field::Warp, Field::Rank, Field::Reg})
    for (const Column &column : mapping[f])
      for (int digit : column.digits)
        if (!left.count(digit))
          order.push_back(digit);
  return order;
}

SharedLayout paddedLayout(const Mapping &source, const Mapping &destination, int64_t wordBytes, int lanes,
                          bool betweenBlocks, const std::vector<int> &order) {
  constexpr int sectorsPerConflict = 4; // a phase has as many
  std::set<int> ranks;
  for (const Column &column : destination[Field::Rank])
    ranks.insert(column.digits.begin(), column.digits.end());
  std::set<std::vector<int>> orders{order};
  if (order.empty()) {
    std::vector<int> ascending = threadsFirst(destination, ranks);
    std::sort(ascending.begin(), ascending.end());
    orders = {threadsFirst(source, ranks), threadsFirst(destination, ranks), ascending};
  }

  std::pair<int, int64_t> best{INT32_MAX, INT64_MAX}; // what a store and a load cost, words
  SharedLayout layout;
  layout.padded = true;
  for (const std::vector<int> &order : orders) {
    PhaseCounter stores(source, order, betweenBlocks ? ranks : std::set<int>(), wordBytes, lanes),
        loads(destination, order, {}, wordBytes, lanes);
    const int least = betweenBlocks ? stores.fewestSectors() + sectorsPerConflict : 2;
    // What strides cost; where that is more than `most`, some number above it.
    auto costOf = [&](const std::vector<int64_t> &strides, int most) {
      if (betweenBlocks) {
        const int stored = stores.sectors(strides);
        return stored > most
                   ? stored
                   : stored + sectorsPerConflict * loads.conflicts(strides, (most - stored) / sectorsPerConflict);
      }
      const int stored = stores.conflicts(strides, most);
      return stored > most ? stored : stored + loads.conflicts(strides, most - stored);
    };
    const int n = static_cast<int>(order.size());
    std::vector<int64_t> strides(n), padding(n, 0), radices;
    int64_t largest = 3; // half as much again for padding
    for (int digit : order)
      largest *= radices.emplace_back(destination.radix(digit));
    largest = std::max<int64_t>(largest / 2, bankCount(wordBytes));
    auto attempt = [&] {
      int64_t stride = 1, words = 1;
      for (int i = 0; i < n; ++i) {
        strides[i] = stride;
        words += (radices[i] - 1) * stride;
        stride = stride * radices[i] + padding[i];
      }
      if (words > largest || (best.first == least && words >= best.second))
        return false;
      const int most = words < best.second ? best.first : best.first - 1; // what would be better
      const std::pair<int, int64_t> cost{costOf(strides, most), words};
      if (cost < best) {
        best = cost;
        layout.words = words;
        layout.columns.clear();
        for (int i = 0; i < n; ++i)
          layout.columns.emplace_back(order[i], static_cast<uint32_t>(strides[i]));
      }
      return true;
    };
    attempt();
    // Padding above the last digit that an access sees moves none of its words. Larger paddings only cost more words
    // once the best is conflict-free.
    const int64_t banks = bankCount(wordBytes);
    const int end = static_cast<int>(std::max(stores.end(), loads.end()));
    for (int i = 0; i + 1 < end; ++i) {
      for (padding[i] = 1; padding[i] < banks; ++padding[i]) {
        if (!attempt())
          break;
        for (int j = i + 1; j + 1 < end; ++j) {
          for (padding[j] = 1; padding[j] < banks; ++padding[j])
            if (!attempt())
              break;
          padding[j] = 0;
        }
      }
      padding[i] = 0;
    }
  }
  std::sort(layout.columns.begin(), layout.columns.end());
  return layout;
}

//===----------------------------------------------------------------------===//
// The oracle
//===----------------------------------------------------------------------===//

int countConflicts(const Mapping &mapping, const SharedLayout &layout, int64_t wordBytes, int lanes) {
  return worstBankAccess(mapping, layout, wordBytes, lanes).conflicts;
}

} // namespace idc::digits
