// Schedules as attributes and as source text.
#include "compiler/passes/Schedule.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

static const char *rangeName(RangePlan::Kind kind) {
  return kind == RangePlan::Kind::Load ? "load" : kind == RangePlan::Kind::Store ? "store" : "steps";
}

ArrayAttr passes::toAttribute(const Schedule &schedule, MLIRContext *context) {
  Builder b(context);
  SmallVector<Attribute> kernels;
  for (const KernelPlan &kernel : schedule.kernels) {
    SmallVector<Attribute> ranges;
    for (const RangePlan &range : kernel.ranges) {
      NamedAttrList entries;
      entries.append("map", b.getStringAttr(range.mapping.str()));
      entries.append("range", b.getStringAttr(rangeName(range.kind)));
      if (range.kind == RangePlan::Kind::Steps) {
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
    for (Attribute rangeElement : ranges) {
      auto entries = dyn_cast<DictionaryAttr>(rangeElement);
      auto map = entries ? entries.getAs<StringAttr>("map") : StringAttr();
      auto name = entries ? entries.getAs<StringAttr>("range") : StringAttr();
      if (!map || !name) {
        error = "a range of a schedule needs 'range' and 'map'";
        return false;
      }
      RangePlan range;
      range.kind = name.getValue() == "load"    ? RangePlan::Kind::Load
                   : name.getValue() == "store" ? RangePlan::Kind::Store
                                                : RangePlan::Kind::Steps;
      if (range.kind == RangePlan::Kind::Steps) {
        auto first = entries.getAs<IntegerAttr>("first"), last = entries.getAs<IntegerAttr>("last");
        if (!first || !last) {
          error = "steps of a schedule need 'first' and 'last'";
          return false;
        }
        range.first = static_cast<int>(first.getInt());
        range.last = static_cast<int>(last.getInt());
      }
      if (!digits::Mapping::parse(map.str(), radices, range.mapping, error))
        return false;
      kernel.ranges.push_back(std::move(range));
    }
    schedule.kernels.push_back(std::move(kernel));
  }
  return true;
}

std::string passes::printSchedule(const Schedule &schedule, const std::string &entry, const std::string &target,
                                  const std::string &condition) {
  std::string text = "schedule " + entry + " for " + target;
  if (!condition.empty())
    text += " where " + condition;
  text += " {\n";
  for (const KernelPlan &kernel : schedule.kernels) {
    text += "  kernel " + kernel.launch.str() + " {\n";
    for (const RangePlan &range : kernel.ranges) {
      text += std::string("    ") + rangeName(range.kind);
      if (range.kind == RangePlan::Kind::Steps)
        text += " " + std::to_string(range.first) + ".." + std::to_string(range.last);
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
