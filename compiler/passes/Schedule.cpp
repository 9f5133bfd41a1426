// Schedules as attributes and as source text.
#include "compiler/passes/Schedule.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

static const std::pair<RangePlan::Kind, const char *> rangeNames[] = {{RangePlan::Kind::Load, "load"},
                                                                      {RangePlan::Kind::Steps, "steps"},
                                                                      {RangePlan::Kind::Join, "join"},
                                                                      {RangePlan::Kind::Store, "store"}};
static const char *rangeName(RangePlan::Kind kind) { return rangeNames[static_cast<int>(kind)].second; }

static bool namesSteps(const RangePlan &range) {
  return range.kind == RangePlan::Kind::Steps || range.kind == RangePlan::Kind::Join;
}

bool KernelPlan::hasSteps() const { return llvm::any_of(ranges, namesSteps); }
int KernelPlan::firstStep() const {
  auto found = llvm::find_if(ranges, namesSteps);
  return found == ranges.end() ? 0 : found->first;
}
int KernelPlan::lastStep() const {
  auto found = llvm::find_if(llvm::reverse(ranges), namesSteps);
  return found == ranges.rend() ? 0 : found->last;
}
int KernelPlan::exchangesBetweenBlocks() const {
  int exchanges = 0;
  for (size_t i = 1; i < ranges.size(); ++i)
    exchanges += ranges[i].mapping[digits::Field::Rank] != ranges[i - 1].mapping[digits::Field::Rank];
  return exchanges;
}

/// The steps that take what is staged in range `i`, or that make it; null without such.
static const RangePlan *besideStaged(const KernelPlan &kernel, size_t i) {
  const bool loads = kernel.ranges[i].kind == RangePlan::Kind::Load;
  if (loads ? i + 1 == kernel.ranges.size() : i == 0)
    return nullptr;
  const RangePlan &beside = kernel.ranges[loads ? i + 1 : i - 1];
  return beside.kind == RangePlan::Kind::Steps ? &beside : nullptr;
}

ArrayAttr passes::toAttribute(const Schedule &schedule, MLIRContext *context) {
  Builder b(context);
  SmallVector<Attribute> kernels;
  for (const KernelPlan &kernel : schedule.kernels) {
    SmallVector<Attribute> ranges;
    for (const RangePlan &range : kernel.ranges) {
      NamedAttrList entries;
      if (range.runs)
        entries.append("runs", b.getI64IntegerAttr(range.runs));
      else if (range.kind != RangePlan::Kind::Join && !(range.staged && range.mapping.digits().empty()))
        entries.append("map", b.getStringAttr(range.mapping.str()));
      entries.append("range", b.getStringAttr(rangeName(range.kind)));
      if (range.staged)
        entries.append("staged", b.getUnitAttr());
      if (namesSteps(range)) {
        entries.append("first", b.getI64IntegerAttr(range.first));
        entries.append("last", b.getI64IntegerAttr(range.last));
      }
      ranges.push_back(entries.getDictionary(context));
    }
    NamedAttrList entries;
    entries.append("launch", b.getStringAttr(kernel.launch.str()));
    entries.append("ranges", b.getArrayAttr(ranges));
    if (!kernel.order.empty())
      entries.append("order", b.getDenseI64ArrayAttr(SmallVector<int64_t>(kernel.order.begin(), kernel.order.end())));
    if (kernel.ring) {
      entries.append("ring", b.getI64IntegerAttr(kernel.ring));
      entries.append("delay", b.getI64IntegerAttr(kernel.delay));
    }
    if (kernel.apart)
      entries.append("apart", b.getUnitAttr());
    if (!kernel.axes.empty())
      entries.append("axes", b.getStringAttr(kernel.axes));
    kernels.push_back(entries.getDictionary(context));
  }
  return b.getArrayAttr(kernels);
}

bool passes::fromAttribute(ArrayAttr attribute, const std::vector<int> &radices, Schedule &schedule,
                           std::string &error) {
  schedule.kernels.clear();
  for (Attribute element : attribute) {
    auto dict = dyn_cast<DictionaryAttr>(element);
    auto ranges = dict ? dict.getAs<ArrayAttr>("ranges") : ArrayAttr();
    auto launch = dict ? dict.getAs<StringAttr>("launch") : StringAttr();
    if (!ranges || !launch) {
      error = "a kernel of a schedule needs 'launch' and 'ranges'";
      return false;
    }
    KernelPlan kernel;
    if (!digits::Launch::parse(launch.str(), kernel.launch, error))
      return false;
    if (auto order = dict.getAs<DenseI64ArrayAttr>("order"))
      kernel.order.assign(order.asArrayRef().begin(), order.asArrayRef().end());
    if (auto ring = dict.getAs<IntegerAttr>("ring"))
      kernel.ring = ring.getInt();
    if (auto delay = dict.getAs<IntegerAttr>("delay"))
      kernel.delay = delay.getInt();
    kernel.apart = dict.contains("apart");
    if (auto axes = dict.getAs<StringAttr>("axes"))
      kernel.axes = axes.str();
    for (Attribute rangeElement : ranges) {
      auto entries = dyn_cast<DictionaryAttr>(rangeElement);
      auto map = entries ? entries.getAs<StringAttr>("map") : StringAttr();
      auto runs = entries ? entries.getAs<IntegerAttr>("runs") : IntegerAttr();
      auto name = entries ? entries.getAs<StringAttr>("range") : StringAttr();
      const auto *known =
          llvm::find_if(rangeNames, [&](const auto &entry) { return name && name.getValue() == entry.second; });
      RangePlan range;
      range.kind = known == std::end(rangeNames) ? RangePlan::Kind::Steps : known->first;
      if (!name || (!map && !runs && !entries.contains("staged") && range.kind != RangePlan::Kind::Join)) {
        error = "a range of a schedule needs 'range' and 'map'";
        return false;
      }
      if (namesSteps(range)) {
        auto first = entries.getAs<IntegerAttr>("first"), last = entries.getAs<IntegerAttr>("last");
        if (!first || !last) {
          error = "steps of a schedule need 'first' and 'last'";
          return false;
        }
        range.first = static_cast<int>(first.getInt());
        range.last = static_cast<int>(last.getInt());
      }
      range.runs = runs ? runs.getInt() : 0;
      range.staged = entries.contains("staged");
      if (map && !digits::Mapping::parse(map.str(), radices, range.mapping, error))
        return false;
      kernel.ranges.push_back(std::move(range));
    }
    for (size_t i = 0; i < kernel.ranges.size(); ++i)
      if (RangePlan &range = kernel.ranges[i]; range.staged && range.mapping.digits().empty())
        if (const RangePlan *beside = besideStaged(kernel, i))
          range.mapping = beside->mapping;
    schedule.kernels.push_back(std::move(kernel));
  }
  return true;
}

std::string passes::printSchedule(const Schedule &schedule, const std::string &entry, const std::string &target,
                                  const std::string &condition,
                                  const std::vector<std::pair<std::string, int64_t>> &choices) {
  std::string text = "schedule " + entry + " for " + target;
  if (!condition.empty())
    text += " where " + condition;
  text += " {\n";
  for (size_t i = 0; i < choices.size(); ++i)
    text += (i ? ", " : "  with ") + choices[i].first + " = " + std::to_string(choices[i].second);
  if (!choices.empty())
    text += "\n";
  for (const KernelPlan &kernel : schedule.kernels) {
    text += "  kernel " + kernel.launch.str() + " {\n";
    if (!kernel.axes.empty())
      text += "    // " + kernel.axes + "\n";
    if (kernel.apart)
      text += "    apart\n";
    for (size_t i = 0; i < kernel.ranges.size(); ++i) {
      const RangePlan &range = kernel.ranges[i];
      text += std::string("    ") + rangeName(range.kind);
      if (namesSteps(range))
        text += " " + std::to_string(range.first) + ".." + std::to_string(range.last);
      // Steps in one mapping that do not follow each other.
      while (range.kind == RangePlan::Kind::Steps && i + 1 < kernel.ranges.size() &&
             kernel.ranges[i + 1].kind == RangePlan::Kind::Steps && kernel.ranges[i + 1].mapping == range.mapping &&
             kernel.ranges[i + 1].first != kernel.ranges[i].last + 1) {
        ++i;
        text += ", " + std::to_string(kernel.ranges[i].first) + ".." + std::to_string(kernel.ranges[i].last);
      }
      if (range.staged)
        text += " staged";
      const RangePlan *beside = range.staged ? besideStaged(kernel, i) : nullptr;
      if (range.runs)
        text += " runs " + std::to_string(range.runs) + "\n";
      else if (range.kind == RangePlan::Kind::Join || (beside && beside->mapping == range.mapping))
        text += "\n";
      else
        text += " { " + range.mapping.str() + " }\n";
    }
    if (!kernel.order.empty()) {
      text += "    order [";
      for (size_t i = kernel.order.size(); i-- > 0;)
        text += std::to_string(kernel.order[i]) + (i ? ", " : "");
      text += "]\n";
    }
    if (kernel.ring)
      text += "    ring " + std::to_string(kernel.ring) + " delay " + std::to_string(kernel.delay) + "\n";
    text += "  }\n";
  }
  return text + "}\n";
}
