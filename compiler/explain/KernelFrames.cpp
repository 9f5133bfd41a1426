#include "compiler/explain/Frames.h"

#include "compiler/explain/Text.h"
#include "dialect/digits/BankAccess.h"
#include "host/ElementText.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace idc;
using namespace idc::explain;
using digits::Field;
using digits::Mapping;

static constexpr int64_t mostRegisters = 64; // of a thread
static constexpr int64_t shownLanes = 32, shownWarps = 2, shownBlocks = 2;
static constexpr int64_t shownMemoryRows = 32, shownWordRows = 16; // rows of the tables of memories
static constexpr int64_t mostWords = 1 << 16;                      // of an exchange whose words are shown

namespace {

/// "2 of 4"; of one there is nothing to say.
std::string oneOf(const std::string &what, int64_t number, int64_t all) {
  return all > 1 ? what + std::to_string(number) + " of " + std::to_string(all) : "";
}

/// The frames of one kernel. Elements are named by their digits, all by the same number of them.
class KernelPlayer {
public:
  KernelPlayer(const Kernel &kernel, const TileValues *values) : kernel(kernel), values(values) {}

  std::vector<Frame> run() {
    for (const Event &event : kernel.events) {
      const Mapping &mapping = mappingOf(event);
      if (mapping.extent(Field::Reg) > mostRegisters)
        return {};
      for (int digit : mapping.digits())
        highest = std::max(highest, digit);
    }
    for (const Event &event : kernel.events)
      std::visit([&](const auto &each) { show(each); }, event);
    return std::move(frames);
  }

private:
  const Kernel &kernel;
  const TileValues *values;      // null: not observed
  int highest = 1;               // digit of any mapping
  std::optional<unsigned> shown; // the tile whose registers were shown last
  std::vector<Frame> frames;

  static const Mapping &mappingOf(const Event &event) {
    const auto *exchange = std::get_if<Exchange>(&event);
    if (exchange)
      return exchange->target;
    const auto *access = std::get_if<Access>(&event);
    return access ? access->mapping : std::get<Stage>(event).mapping;
  }

  /// The element of a tile with these digits, which may be fewer or more than the tile's.
  Cell cellOf(const Tile &tile, std::vector<int64_t> digits) const {
    digits.resize(static_cast<size_t>(highest), 0);
    Cell cell{host::digitsText({digits.begin(), digits.end()})};
    auto found = values ? values->find(tile.operation) : TileValues::const_iterator();
    if (!values || found == values->end() || found->second.empty())
      return cell;
    int64_t index = 0, weight = 1;
    for (const auto &[radix, digit] : llvm::zip(tile.radices, digits)) {
      index += weight * digit;
      weight *= radix;
    }
    cell.value = found->second[static_cast<size_t>(index)];
    return cell;
  }

  //===--- registers --------------------------------------------------------------------------------------------===//

  std::vector<Table> registersOf(const Mapping &mapping, const Tile &tile) const {
    const int64_t blocks = mapping.extent(Field::Rank), warps = mapping.extent(Field::Warp);
    std::vector<Table> tables;
    for (int64_t block = 0; block < std::min(blocks, shownBlocks); ++block)
      for (int64_t warp = 0; warp < std::min(warps, shownWarps); ++warp) {
        Table table{
            "registers" + oneOf(", warp ", warp, warps) + oneOf(", block ", block, blocks), {"lane \\ register"}, {}};
        for (int64_t reg = 0; reg < mapping.extent(Field::Reg); ++reg)
          table.columns.push_back(std::to_string(reg));
        for (int64_t lane = 0; lane < std::min(mapping.extent(Field::Lane), shownLanes); ++lane) {
          table.rows.push_back({std::to_string(lane), {}});
          for (int64_t reg = 0; reg < mapping.extent(Field::Reg); ++reg) {
            std::vector<int64_t> digits;
            mapping.contribute(Field::Rank, block, digits);
            mapping.contribute(Field::Warp, warp, digits);
            mapping.contribute(Field::Lane, lane, digits);
            mapping.contribute(Field::Reg, reg, digits);
            table.rows.back().cells.push_back(cellOf(tile, std::move(digits)));
          }
        }
        tables.push_back(std::move(table));
      }
    return tables;
  }

  void addRegisters(const std::string &title, std::string note, const Mapping &mapping, const Tile &tile) {
    note += (note.empty() ? "" : "; ") + mapping.str();
    frames.push_back({title, std::move(note), registersOf(mapping, tile)});
    shown = tile.operation;
  }

  //===--- global memory ----------------------------------------------------------------------------------------===//

  /// The elements of a buffer by address; nothing where that is unknown.
  void addMemory(const std::string &title, const Access &access) {
    constexpr int64_t columns = 8;
    const std::vector<int> &radices = access.tile.radices;
    int64_t elements = 1;
    for (int digit : access.order) {
      if (digit < 1 || digit > static_cast<int>(radices.size()))
        return;
      elements *= radices[static_cast<size_t>(digit) - 1];
    }
    if (access.order.empty())
      return;
    const int64_t shown = std::min(elements, columns * shownMemoryRows);
    Table table{"global memory, by address", {"address"}, {}};
    if (shown < elements)
      table.caption += oneOf("; the first ", shown, elements);
    for (int64_t column = 0; column < std::min(columns, elements); ++column)
      table.columns.push_back("+" + std::to_string(column));
    for (int64_t address = 0; address < shown; ++address) {
      if (address % columns == 0)
        table.rows.push_back({std::to_string(address), {}});
      std::vector<int64_t> digits(radices.size(), 0);
      int64_t rest = address;
      for (int digit : access.order) {
        const int radix = radices[static_cast<size_t>(digit) - 1];
        digits[static_cast<size_t>(digit) - 1] = rest % radix;
        rest /= radix;
      }
      table.rows.back().cells.push_back(cellOf(access.tile, std::move(digits)));
    }
    frames.push_back({title, countedOf(access), {std::move(table)}});
  }

  //===--- shared memory ----------------------------------------------------------------------------------------===//

  /// What the words of a block's shared memory hold, by the side that reads them.
  std::vector<Cell> wordsOf(const Exchange &exchange, int64_t block) const {
    const auto &[sides, layout] = *exchange.shared;
    std::vector<Cell> words(static_cast<size_t>(layout.words));
    for (int64_t warp = 0; warp < sides.target.extent(Field::Warp); ++warp)
      for (int64_t lane = 0; lane < sides.target.extent(Field::Lane); ++lane)
        for (int64_t reg = 0; reg < sides.target.extent(Field::Reg); ++reg) {
          std::vector<int64_t> digits;
          sides.target.contribute(Field::Rank, block, digits);
          sides.target.contribute(Field::Warp, warp, digits);
          sides.target.contribute(Field::Lane, lane, digits);
          sides.target.contribute(Field::Reg, reg, digits);
          if (const auto word = static_cast<size_t>(layout.word(digits)); word < words.size())
            words[word] = cellOf(exchange.tile, std::move(digits));
        }
    return words;
  }

  /// The words by bank: the first rows, and those of the access.
  static Table tableOf(std::string caption, std::vector<Cell> words, int64_t wordBytes,
                       const digits::BankAccess &access) {
    const int64_t banks = digits::bankCount(wordBytes), banksOfWord = std::max<int64_t>(1, wordBytes / 4);
    std::set<int64_t> shown;
    const int64_t rows = (static_cast<int64_t>(words.size()) + banks - 1) / banks;
    for (int64_t row = 0; row < std::min(rows, shownWordRows); ++row)
      shown.insert(row);
    for (int64_t word : access.words) {
      shown.insert(word / banks);
      words[static_cast<size_t>(word)].isAccessed = true;
    }
    Table table{std::move(caption), {"word \\ bank"}, {}};
    if (static_cast<int64_t>(shown.size()) < rows)
      table.caption += oneOf("; rows: ", static_cast<int64_t>(shown.size()), rows);
    for (int64_t bank = 0; bank < banks; ++bank)
      table.columns.push_back(std::to_string(bank * banksOfWord) +
                              (banksOfWord > 1 ? "–" + std::to_string((bank + 1) * banksOfWord - 1) : ""));
    for (int64_t row : shown) {
      table.rows.push_back({std::to_string(row * banks), {}});
      for (int64_t word = row * banks; word < std::min<int64_t>((row + 1) * banks, words.size()); ++word)
        table.rows.back().cells.push_back(words[static_cast<size_t>(word)]);
    }
    return table;
  }

  /// The access as the note of a frame.
  static std::string noteOf(const digits::BankAccess &access, const char *what) {
    std::string note = "marked: lanes " + std::to_string(access.firstLane) + "…" +
                       std::to_string(access.firstLane + static_cast<int64_t>(access.words.size()) - 1) + " of warp " +
                       std::to_string(access.warp) + " " + what + " register " + std::to_string(access.reg) + "; ";
    return note + (access.conflicts == 1 ? "no two words meet in a bank"
                                         : std::to_string(access.conflicts) + " words meet in a bank");
  }

  /// The words when they have been stored, and when they are loaded.
  void addWords(const std::string &title, const Exchange &exchange) {
    const passes::ExchangeSides &sides = exchange.shared->sides;
    const digits::SharedLayout &layout = exchange.shared->layout;
    if (layout.words > mostWords)
      return;
    const int64_t blocks = sides.target.extent(Field::Rank);
    const auto stored = digits::worstBankAccess(sides.source, layout, sides.wordBytes);
    const auto loaded = digits::worstBankAccess(sides.target, layout, sides.wordBytes);
    auto add = [&](const char *what, const digits::BankAccess &access, std::string note) {
      Frame frame{title + ", " + what, std::move(note), {}};
      for (int64_t block = 0; block < std::min(blocks, shownBlocks); ++block)
        frame.tables.push_back(tableOf("shared memory, by bank" + oneOf(", block ", block, blocks),
                                       wordsOf(exchange, block), sides.wordBytes,
                                       block == 0 ? access : digits::BankAccess()));
      frames.push_back(std::move(frame));
    };
    if (sides.betweenBlocks)
      add("stored", {}, "every block stores into the memories of those that load");
    else
      add("stored", stored, noteOf(stored, "store"));
    add("loaded", loaded, noteOf(loaded, "load"));
  }

  //===--- events -----------------------------------------------------------------------------------------------===//

  void show(const Access &access) {
    const std::string title = (access.isStore ? "store " : "load ") + access.buffer;
    if (access.isStore && access.tile.operation != shown)
      addRegisters(title + ": from registers", "", access.mapping, access.tile);
    addMemory(title + (access.isStore ? ": global memory" : ": from global memory"), access);
    if (!access.isStore)
      addRegisters(title + ": registers", "", access.mapping, access.tile);
  }

  void show(const Stage &stage) { addRegisters("steps: " + spell(stage.steps), "", stage.mapping, stage.tile); }

  void show(const Exchange &exchange) {
    const std::string title = "exchange: " + exchange.kind;
    if (exchange.shared)
      addWords(title, exchange);
    addRegisters(title + (exchange.shared ? ": registers" : ""), countedOf(exchange), exchange.target, exchange.tile);
  }
};

} // namespace

std::vector<Frame> explain::kernelFrames(const Facts &facts, size_t number) {
  return KernelPlayer(facts.kernels[number], facts.tiles.empty() ? nullptr : &facts.tiles[number]).run();
}
