#include "dialect/digits/Exchange.h"
#include "dialect/digits/Gf2.h"

#include <algorithm>
#include <map>
#include <set>

namespace idc::digits {

const char *exchangeKindName(ExchangeKind kind) {
  static const char *const names[] = {"none", "registers", "shuffle", "shared", "cluster"};
  return names[static_cast<int>(kind)];
}

namespace {

constexpr Field tileFields[] = {Field::Reg, Field::Lane, Field::Warp, Field::Rank};

std::set<int> heldBy(const Mapping &mapping, std::initializer_list<Field> fields) {
  std::set<int> result;
  for (Field f : fields)
    for (const Column &column : mapping[f])
      result.insert(column.digits.begin(), column.digits.end());
  return result;
}

std::string checkPair(const Mapping &source, const Mapping &destination) {
  std::string error = source.check();
  if (!error.empty())
    return "source mapping: " + error;
  error = destination.check();
  if (!error.empty())
    return "destination mapping: " + error;
  if (source.digits() != destination.digits())
    return "the mappings hold different digits";
  for (int digit : source.digits())
    if (source.radix(digit) != destination.radix(digit))
      return "digit " + std::to_string(digit) + " has radix " + std::to_string(source.radix(digit)) +
             " in the source and " + std::to_string(destination.radix(digit)) + " in the destination";
  for (Field f : {Field::Block, Field::Device, Field::Turn})
    if (source[f] != destination[f])
      return "the mappings differ in " + std::string(fieldName(f));
  if (source.extent(Field::Rank) != destination.extent(Field::Rank))
    return "the mappings differ in the size of the cluster";
  const std::set<int> outside = heldBy(source, {Field::Block, Field::Device, Field::Turn});
  bool mixed = false, xors = false;
  for (const Mapping *m : {&source, &destination})
    for (Field f : tileFields)
      for (const Column &column : (*m)[f]) {
        mixed |= column.radix != 2;
        xors |= column.digits.size() > 1;
        for (int digit : column.digits)
          if (outside.count(digit))
            return "digit " + std::to_string(digit) + " belongs both to the tile and to the block, device or turn";
      }
  if (mixed && xors)
    return "XOR columns beside digits of other radices";
  return "";
}

/// The map from destination places to source places: for each column of the destination the set of source columns whose
/// hardware digits it drives (a single one but for GF(2) columns). Columns are numbered field after field.
class PlaceMap {
public:
  PlaceMap(const Mapping &source, const Mapping &destination) : source(source), destination(destination) {
    std::map<int, int> bits;
    for (int digit : source.digits())
      bits.emplace(digit, static_cast<int>(bits.size()));
    auto vectorOf = [&](const Column &column) {
      gf2::Vector v = 0;
      for (int digit : column.digits)
        v |= gf2::Vector(1) << bits.at(digit);
      return v;
    };
    // Single digits of any radix and GF(2) columns obey the same equations: each digit is one coordinate.
    gf2::Matrix columns;
    for (Field f : tileFields) {
      first[static_cast<int>(f)] = static_cast<int>(columns.size());
      for (const Column &column : source[f])
        columns.push_back(vectorOf(column));
    }
    for (Field f : tileFields)
      for (size_t i = 0; i < destination[f].size(); ++i) {
        const Column &column = destination[f][i];
        gf2::Vector from = 0;
        gf2::solve(columns, vectorOf(column), from);
        // Copies: stay where you are; a warp that holds a copy of what it needs does not ask another.
        const bool copied = i < source[f].size() && source[f][i].digits.empty() && source[f][i].radix == column.radix;
        if (copied && (column.digits.empty() || f == Field::Warp))
          from |= bit(f, i);
        sources[static_cast<int>(f)].push_back(from);
      }
  }

  gf2::Vector bit(Field f, size_t position) const { return gf2::Vector(1) << (first[static_cast<int>(f)] + position); }
  gf2::Vector mask(Field f) const {
    gf2::Vector result = 0;
    for (size_t i = 0; i < source[f].size(); ++i)
      result |= bit(f, i);
    return result;
  }
  const std::vector<gf2::Vector> &from(Field f) const { return sources[static_cast<int>(f)]; }

  /// Every place reads from its own value of `field`.
  bool stays(Field field) const {
    const gf2::Vector own = mask(field);
    for (Field f : tileFields)
      for (size_t i = 0; i < from(f).size(); ++i)
        if ((from(f)[i] & own) != (f == field && i < source[field].size() ? bit(field, i) : 0) ||
            (f == field && i >= source[field].size()))
          return false;
    return true;
  }
  /// …and the value of `field` has no say in the rest: it can be left out.
  bool isIdentity(Field field) const {
    for (size_t i = 0; i < from(field).size(); ++i)
      if (i >= source[field].size() || from(field)[i] != bit(field, i))
        return false;
    return stays(field);
  }

  /// [destination register number] -> source register number, when registers depend on registers only.
  std::vector<int> registerSource() const {
    std::vector<int> result;
    const auto &to = destination[Field::Reg], &old = source[Field::Reg];
    for (int64_t reg = 0; reg < destination.extent(Field::Reg); ++reg) {
      std::vector<int64_t> values(old.size(), 0);
      int64_t rest = reg;
      for (size_t i = 0; i < to.size(); ++i) {
        const int64_t value = rest % to[i].radix;
        rest /= to[i].radix;
        for (size_t k = 0; k < old.size(); ++k)
          if (from(Field::Reg)[i] & bit(Field::Reg, k))
            values[k] = old[k].radix == 2 ? values[k] ^ value : value;
      }
      int64_t number = 0;
      for (size_t k = old.size(); k > 0; --k)
        number = number * old[k - 1].radix + values[k - 1];
      result.push_back(static_cast<int>(number));
    }
    return result;
  }

  /// The bits of registers then lanes as a permutation, [source bit] -> destination bit; false when it is none or not
  /// all radices are 2.
  bool bitPermutation(std::vector<int> &permutation) const {
    const size_t regs = source[Field::Reg].size(), lanes = source[Field::Lane].size();
    if (destination[Field::Reg].size() != regs || destination[Field::Lane].size() != lanes)
      return false;
    permutation.assign(regs + lanes, -1);
    for (Field f : {Field::Reg, Field::Lane})
      for (size_t i = 0; i < from(f).size(); ++i) {
        const gf2::Vector sources = from(f)[i];
        if (source[f][i].radix != 2 || destination[f][i].radix != 2 || __builtin_popcountll(sources) != 1)
          return false;
        const size_t bitNumber = __builtin_ctzll(sources);
        if (bitNumber >= permutation.size() || permutation[bitNumber] != -1)
          return false;
        permutation[bitNumber] = static_cast<int>(f == Field::Reg ? i : regs + i);
      }
    return true;
  }

private:
  const Mapping &source, &destination;
  int first[numFields] = {};
  std::vector<gf2::Vector> sources[numFields];
};

/// P = swaps ∘ lane permutation ∘ register permutation (right first). Every run of lanes r_m → l_j → … → l_k → r_i on a
/// cycle of P closes upon itself (l_k → l_j), r_m goes to r_i directly, and the swap (r_i, l_j) puts both right.
ShufflePlan planShuffle(const std::vector<int> &permutation, int regs) {
  const int lanes = static_cast<int>(permutation.size()) - regs;
  ShufflePlan plan;
  plan.registerSource.assign(regs, 0);
  plan.laneSource.assign(lanes, -1);
  for (int reg = 0; reg < regs; ++reg) {
    int to = permutation[reg];
    if (to >= regs) {
      const int firstLane = to - regs;
      int lastLane = firstLane;
      for (to = permutation[to]; to >= regs; to = permutation[to]) {
        plan.laneSource[to - regs] = lastLane;
        lastLane = to - regs;
      }
      plan.laneSource[firstLane] = lastLane;
      plan.swaps.emplace_back(to, firstLane);
    }
    plan.registerSource[to] = reg;
  }
  for (int lane = 0; lane < lanes; ++lane) // cycles of lanes alone
    if (permutation[regs + lane] >= regs && plan.laneSource[permutation[regs + lane] - regs] == -1)
      plan.laneSource[permutation[regs + lane] - regs] = lane;
  return plan;
}

} // namespace

std::vector<int> commonRegisterDigits(const Mapping &source, const Mapping &destination, int most) {
  std::vector<int> digits;
  for (int digit : source.digits()) {
    Place before, after;
    bool common = source.find(digit, before) && before.field == Field::Reg && destination.find(digit, after) &&
                  after.field == Field::Reg && source.radix(digit) == 2;
    if (common && static_cast<int>(digits.size()) < most)
      digits.push_back(digit);
  }
  return digits;
}

bool planExchange(const Mapping &source, const Mapping &destination, const ExchangeOptions &options, ExchangePlan &plan,
                  std::string &error) {
  plan = ExchangePlan();
  error = checkPair(source, destination);
  const int64_t bytes = options.wordBytes;
  if (error.empty() && (bytes < 1 || bytes > 16 || (bytes & (bytes - 1)) != 0))
    error = "shared memory is accessed in words of 1, 2, 4, 8 or 16 bytes, not " + std::to_string(bytes);
  if (!error.empty())
    return false;

  const PlaceMap places(source, destination);
  const bool rankStays = places.isIdentity(Field::Rank);
  if (rankStays && places.isIdentity(Field::Warp)) {
    if (places.isIdentity(Field::Lane)) {
      plan.registerSource = places.registerSource();
      bool same = static_cast<int64_t>(plan.registerSource.size()) == source.extent(Field::Reg);
      for (size_t i = 0; i < plan.registerSource.size(); ++i)
        same &= plan.registerSource[i] == static_cast<int>(i);
      plan.kind = same ? ExchangeKind::None : ExchangeKind::Registers;
      if (same)
        plan.registerSource.clear();
      return true;
    }
    std::vector<int> permutation;
    if (places.bitPermutation(permutation)) {
      ShufflePlan shuffle = planShuffle(permutation, static_cast<int>(source[Field::Reg].size()));
      if (static_cast<int>(shuffle.swaps.size()) <= options.maxShuffleSwaps) {
        plan.kind = ExchangeKind::Shuffle;
        plan.shuffle = std::move(shuffle);
        return true;
      }
    }
  }

  if (!rankStays)
    for (size_t i = 0; i < destination[Field::Rank].size(); ++i)
      if (destination[Field::Rank][i].digits.empty() && !places.from(Field::Rank)[i]) {
        error = "the destination spreads values to several blocks of the cluster";
        return false;
      }
  bool mixed = false;
  double elements = 1;
  for (Field f : tileFields)
    for (const Column &column : destination[f]) {
      mixed |= !column.digits.empty() && column.radix != 2;
      elements *= column.digits.empty() || f == Field::Rank ? 1 : column.radix;
    }
  if (elements > double(1 << 28)) {
    error = "a block's tile of more than 2^28 elements cannot be exchanged";
    return false;
  }
  plan.kind = rankStays ? ExchangeKind::Shared : ExchangeKind::Cluster;
  plan.needsBlockBarrier = !rankStays || !places.stays(Field::Warp);
  plan.shared = mixed || options.padded ? paddedLayout(source, destination, bytes, options.lanes, !rankStays)
                                        : swizzledLayout(source, destination, bytes);
  return true;
}

} // namespace idc::digits
