// Mappings: which logical digit each field of the machine holds.
//
// A mapping is a list of columns per field, low bit first. A column of one digit is the digit itself (any radix); of
// several radix-2 digits, a GF(2) column (the logical index reached by that hardware bit is the XOR of those digits'
// weights); of no digit, replication: the hardware digit does not matter. Hardware to logical, as in the linear-layout
// literature. The affine part (complemented digits) is an offset beside the columns.
//
// Batch digits are ordinary digits numbered above the sequence's own; what is above the highest one held by any field
// is the symbolic rest of the batch and belongs to the block field.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace idc::digits {

enum class Field { Reg, Lane, Warp, Rank, Block, Device, Turn };
constexpr int numFields = 7;
/// "reg", "lane", "warp", "rank", "block", "device", "turn".
const char *fieldName(Field field);

struct Column {
  std::vector<int> digits; // ascending; one: a digit; several: XOR of radix-2 digits; none: replication
  int radix = 2;
  bool operator==(const Column &o) const { return digits == o.digits && radix == o.radix; }
  bool operator!=(const Column &o) const { return !(*this == o); }
};

struct Place { // where a digit lives: column `position` (low first) of `field`
  Field field;
  int position;
};

class Mapping {
public:
  std::array<std::vector<Column>, numFields> columns; // low column first

  std::vector<Column> &operator[](Field f) { return columns[static_cast<int>(f)]; }
  const std::vector<Column> &operator[](Field f) const { return columns[static_cast<int>(f)]; }
  bool operator==(const Mapping &o) const { return columns == o.columns; }
  bool operator!=(const Mapping &o) const { return !(*this == o); }

  /// Appends `digit` as the next higher column of `field`.
  void push(Field field, int digit, int radix = 2);
  /// The place of a digit held as a column of its own; false when no field holds it so.
  bool find(int digit, Place &place) const;
  /// True when every column is a single digit (the fast form).
  bool isDigitForm() const;
  /// All digits held, ascending.
  std::vector<int> digits() const;
  /// Product of the radices of a field's columns.
  int64_t extent(Field field) const;
  /// The columns of the thread number, low first: those of `lane`, then those of `warp`.
  std::vector<Column> threads() const;
  int64_t numThreads() const { return extent(Field::Lane) * extent(Field::Warp); }
  /// Divides the thread number's columns again: `lane` gets as many of the lowest as have at most `lanes` values.
  void splitThreads(int64_t lanes);

  /// The radix of a digit held by some column; 2 for others.
  int radix(int digit) const;
  /// Adds what hardware value `value` of `field` contributes to the digit values (digitValues[d-1] for digit d, grown
  /// as needed): sums for digits of their own, XOR for GF(2) columns. Run over all fields it evaluates the mapping.
  void contribute(Field field, int64_t value, std::vector<int64_t> &digitValues) const;

  /// Empty when the mapping is a bijection between the fields (replication apart) and the digits it holds, else what is
  /// wrong ("digit 3 is held twice", "the columns of reg and lane are dependent"). The digits held need not be 1…n
  /// (nodes that contract a digit leave a gap); missing() tells.
  std::string check() const;
  /// The mapping of what is left when some digits, each held as a column of its own, are given a value.
  Mapping without(const std::vector<int> &digits) const;
  /// The mapping of a sequence that has some of the digits 1…numDigits only, its digit k being `kept[k-1]`; the digits
  /// above numDigits (of a batch) follow those. Columns of other digits are left out, but for those of `rank` and
  /// `turn`, which become replicated: the blocks that work on a tile together, and its turns, are as many for every
  /// sequence.
  Mapping projected(const std::vector<int> &kept, int numDigits) const;
  /// The digits of 1…numDigits that no column holds, ascending.
  std::vector<int> missing(int numDigits) const;

  /// "reg(13..9) lane(5..1) warp(8..6)": most significant first, runs as ranges, XOR columns as (3^7), replication as
  /// _, or _:3 of 3 values; radices are not spelled (they belong to the digits). Fields without columns are left out.
  std::string str() const;
  /// The inverse of str(); false with `error` set on malformed text. `radices[d-1]` gives the radix of digit d (2
  /// above).
  static bool parse(const std::string &text, const std::vector<int> &radices, Mapping &out, std::string &error);
};

/// An address order: the digits of a buffer from the lowest address digit up.
using AddressOrder = std::vector<int>;

/// What one warp-wide access of a mapping touches, by brute force: `minRun` is the shortest run of consecutive bytes,
/// `sectors` the 32-byte sectors per request, `usefulBytes` the distinct bytes per request; fully used when
/// sectors * 32 == usefulBytes. `vectorColumns` lowest reg columns are fetched by one instruction.
struct AccessCount {
  int64_t minRun = 0;
  int64_t sectors = 0;
  int64_t usefulBytes = 0;
};
AccessCount countAccess(const Mapping &mapping, const AddressOrder &order, int64_t elementBytes, int vectorColumns);

} // namespace idc::digits
