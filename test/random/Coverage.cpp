#include "Coverage.h"

#include "compiler/conversion/Sections.h"
#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace idc;
using namespace idc::random;

using Properties = std::set<std::string>;

static std::string nameOf(mlir::Type type) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  if (isa<id::RecordType>(type))
    return "a record";
  if (auto mod = dyn_cast<id::ModType>(type))
    return mod.getModulus() >> 32 ? "mod of 64 bits" : "mod of 32 bits";
  type.print(stream);
  return name;
}

static void addIndexMap(const std::string &op, id::PermAttr map, Properties &found) {
  digits::Permutation permutation = map.getPermutation();
  if (permutation.hasComplement())
    found.insert(op + " complemented");
  if (!permutation.isIdentity())
    found.insert(op + " permuted");
}

static void addStep(Operation &op, Properties &found) {
  std::string name = op.getName().stripDialect().str();
  found.insert(name);
  for (NamedAttribute attribute : op.getAttrs())
    found.insert(name + " {" + attribute.getName().str() + "}");
  for (Value value : llvm::concat<Value>(op.getOperands(), op.getResults())) {
    if (!isa<id::SeqType, id::TileType>(value.getType()))
      continue;
    found.insert("of " + nameOf(id::elementOf(value.getType())));
    for (int32_t radix : id::radicesOf(value.getType()))
      found.insert("radix " + std::to_string(radix));
  }
  if (auto load = dyn_cast<id::LoadOp>(op))
    addIndexMap(name, load.getMap(), found);
  if (auto store = dyn_cast<id::StoreOp>(op))
    addIndexMap(name, store.getMap(), found);
  if (op.getNumRegions() == 0)
    return;
  if (op.getNumOperands() > 1)
    found.insert(name + " of several inputs");
  if (op.getNumResults() > 1)
    found.insert(name + " with several results");
  std::set<size_t> digitCounts;
  for (Value input : op.getOperands())
    digitCounts.insert(id::radicesOf(input.getType()).size());
  if (digitCounts.size() > 1)
    found.insert(name + " of inputs with different digits");
  if (auto node = dyn_cast<id::NodeOp>(op)) {
    auto full = [&](Value value) {
      return static_cast<int>(id::radicesOf(value.getType()).size()) == node.getNumDigits();
    };
    bool takes = llvm::any_of(op.getOperands(), full), gives = llvm::any_of(op.getResults(), full);
    found.insert(takes ? gives ? "node keeps digits" : "node removes digits" : "node inserts digits");
    if (gives && !llvm::all_of(op.getResults(), full))
      found.insert("node keeps and removes digits");
    if (node.getDigits().size() > 1)
      found.insert("node on several digits");
    found.insert("node of " + std::to_string(node.getArity()) + " elements");
  }
  op.walk([&](Operation *inner) {
    if (inner != &op && !isa<id::YieldOp>(inner))
      found.insert("body " + inner->getName().getStringRef().str());
  });
}

void Coverage::count(ModuleOp module, const std::string &target) {
  constexpr int64_t lanes =
      32; // of the GPU that programs are compiled for: kernels of a CPU are none of its straight ones
  module.walk([&](id::KernelOp kernel) {
    Properties found, exchanges;
    int steps = 0;
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (auto exchange = dyn_cast<id::ExchangeOp>(op))
        exchanges.insert(id::stringifyExchangeKind(exchange.getKind()).str());
      else
        addStep(op, found);
      steps += isa<id::NodeOp>(op);
    }
    if (steps > 1)
      found.insert("several nodes");
    if (exchanges.empty())
      exchanges.insert("none");
    for (const std::string &exchange : exchanges) {
      std::string column =
          target + (conversion::cutSections(kernel, lanes).straight ? " straight " : " general ") + exchange;
      columns.insert(column);
      for (const std::string &property : found)
        ++cells[property][column];
    }
  });
}

void Coverage::print(llvm::raw_ostream &out) const {
  out << "kernels with a property, by target, form of tiles and exchange\n";
  size_t number = 0;
  for (const std::string &column : columns)
    out << "  " << static_cast<char>('A' + number++) << " " << column << "\n";
  out << llvm::left_justify("", 44);
  for (size_t i = 0; i < columns.size(); ++i)
    out << "      " << static_cast<char>('A' + i);
  out << "\n";
  for (const auto &[property, row] : cells) {
    out << llvm::left_justify(property, 44);
    for (const std::string &column : columns) {
      auto cell = row.find(column);
      out << llvm::right_justify(cell == row.end() ? "-" : std::to_string(cell->second), 7);
    }
    out << "\n";
  }
}

std::vector<std::string> Coverage::missing(llvm::StringRef list) const {
  std::vector<std::string> empty;
  for (llvm::StringRef line : llvm::split(list, '\n')) {
    auto [property, wanted] = line.split('#').first.split(':');
    for (llvm::StringRef column : llvm::split(wanted, ',')) {
      column = column.trim();
      if (column.empty())
        continue;
      auto row = cells.find(property.trim().str());
      if (row == cells.end() || !row->second.count(column.str()))
        empty.push_back((property.trim() + ": " + column).str());
    }
  }
  return empty;
}
