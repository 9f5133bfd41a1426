#include "id/Devices.h"

#include "host/Scanner.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace idc;

int64_t id::devicesOf(func::FuncOp function) {
  auto devices = function->getAttrOfType<IntegerAttr>(devicesAttr);
  return devices ? devices.getInt() : 1;
}

void id::setDevices(func::FuncOp function, int64_t devices) {
  function->setAttr(devicesAttr, IntegerAttr::get(IntegerType::get(function.getContext(), 64), devices));
}

DenseI64ArrayAttr id::deviceDigitsAttribute(MLIRContext *context, ArrayRef<int> digits) {
  SmallVector<int64_t> listed(digits.rbegin(), digits.rend());
  return DenseI64ArrayAttr::get(context, listed);
}

static std::vector<int> fromAttribute(Attribute digits) {
  auto listed = dyn_cast_or_null<DenseI64ArrayAttr>(digits);
  return listed ? std::vector<int>(listed.asArrayRef().rbegin(), listed.asArrayRef().rend()) : std::vector<int>();
}

std::vector<int> id::argumentDeviceDigits(func::FuncOp function, int argument) {
  return fromAttribute(function.getArgAttr(static_cast<unsigned>(argument), deviceDigitsAttr));
}

std::vector<int> id::resultDeviceDigits(func::FuncOp function, int result) {
  return fromAttribute(function.getResultAttr(static_cast<unsigned>(result), deviceDigitsAttr));
}

Value id::wholeOf(Value result) {
  while (result.hasOneUse() && isa<JoinOp>(*result.user_begin()))
    result = (*result.user_begin())->getResult(0);
  return result;
}

std::vector<int> id::deviceDigits(func::FuncOp function, Value value) {
  value = wholeOf(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argumentDeviceDigits(function, static_cast<int>(argument.getArgNumber()));
  for (OpOperand &use : value.getUses())
    if (isa<func::ReturnOp>(use.getOwner()))
      return resultDeviceDigits(function, static_cast<int>(use.getOperandNumber()));
  auto kernel = value.getDefiningOp<KernelOp>();
  auto all = kernel ? kernel->getAttrOfType<ArrayAttr>(deviceDigitsAttr) : ArrayAttr();
  return all ? fromAttribute(all[cast<OpResult>(value).getResultNumber()]) : std::vector<int>();
}

//===--- distributions --------------------------------------------------------------------------------------------===//

StringRef id::distributionOf(Attribute text) {
  auto given = dyn_cast_or_null<StringAttr>(text);
  return given ? given.getValue() : StringRef("top");
}

/// Digits from `first` on, by `step`, whose values number as many devices; fewer elements than that if there are none.
static std::optional<std::vector<int>> follow(id::SeqType type, int first, int step, int64_t devices) {
  std::vector<int> digits;
  int64_t numbered = 1;
  for (int digit = first; numbered < devices && digit >= 1 && digit <= static_cast<int>(type.getNumDigits());
       digit += step) {
    digits.push_back(digit);
    numbered *= type.getRadices()[static_cast<size_t>(digit) - 1];
  }
  if (numbered != devices)
    return std::nullopt;
  if (step < 0)
    std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<std::vector<int>> id::distributedDigits(SeqType type, StringRef text, int64_t devices,
                                                      std::string &error) {
  if (text == "all" || type.getNumElements() == 1)
    return std::vector<int>();
  if (text == "top" || text == "low") {
    const bool top = text == "top";
    auto digits = follow(type, top ? static_cast<int>(type.getNumDigits()) : 1, top ? -1 : 1, devices);
    if (!digits)
      error = ("the " + Twine(top ? "highest" : "lowest") + " digits of its " + Twine(type.getNumElements()) +
               " elements do not number " + Twine(devices) + " devices; name digits, or let all have it")
                  .str();
    return digits;
  }
  std::vector<int> digits;
  int64_t numbered = 1;
  auto wrong = [&] {
    error =
        ("'" + text + "' is not top, low, all or a list of different digits from 1 to " + Twine(type.getNumDigits()))
            .str();
    return std::nullopt;
  };
  host::Scanner scanner(text);
  do {
    const int64_t digit = scanner.number<int64_t>().value_or(0);
    if (digit < 1 || digit > type.getNumDigits() || llvm::is_contained(digits, digit))
      return wrong();
    digits.insert(digits.begin(), static_cast<int>(digit));
    numbered *= type.getRadices()[static_cast<size_t>(digit) - 1];
  } while (scanner.accept(","));
  if (!scanner.atEnd())
    return wrong();
  if (numbered != devices) {
    error = ("the digits " + text + " number " + Twine(numbered) + " devices, not " + Twine(devices)).str();
    return std::nullopt;
  }
  return digits;
}
