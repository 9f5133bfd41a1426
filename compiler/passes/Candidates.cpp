#include "compiler/passes/Candidates.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

void CandidatePool::add(Candidate candidate) {
  if (most == 0 || isFullFor(candidate.cost.cost))
    return;
  const std::string text = printSchedule(candidate.schedule, "", "", "");
  auto isSame = [&](const Candidate &other) { return printSchedule(other.schedule, "", "", "") == text; };
  if (auto known = llvm::find_if(candidates, isSame); known != candidates.end()) {
    if (known->cost.cost <= candidate.cost.cost)
      return;
    candidates.erase(known);
  }
  auto place = llvm::upper_bound(candidates, candidate.cost.cost,
                                 [](double cost, const Candidate &other) { return cost < other.cost.cost; });
  candidates.insert(place, std::move(candidate));
  if (candidates.size() > most)
    candidates.pop_back();
}

//===--- as an attribute ------------------------------------------------------------------------------------------===//

static Attribute toAttribute(const Candidate &candidate, MLIRContext *context) {
  Builder b(context);
  SmallVector<Attribute> kernels;
  for (const KernelCost &kernel : candidate.cost.kernels) {
    SmallVector<Attribute> counted; // in their order, which a dictionary would lose
    for (const auto &[name, value] : kernel.counted)
      counted.push_back(b.getArrayAttr({b.getStringAttr(name), b.getF64FloatAttr(value)}));
    kernels.push_back(b.getArrayAttr({b.getF64FloatAttr(kernel.cost), b.getArrayAttr(counted)}));
  }
  return b.getDictionaryAttr({b.getNamedAttr("cost", b.getF64FloatAttr(candidate.cost.cost)),
                              b.getNamedAttr("unit", b.getStringAttr(candidate.cost.unit)),
                              b.getNamedAttr("kernels", b.getArrayAttr(kernels)),
                              b.getNamedAttr("schedule", toAttribute(candidate.schedule, context))});
}

ArrayAttr passes::toAttribute(const std::vector<CandidateList> &lists, MLIRContext *context) {
  Builder b(context);
  SmallVector<Attribute> parts;
  for (const CandidateList &list : lists) {
    SmallVector<Attribute> candidates;
    for (const Candidate &candidate : list.candidates)
      candidates.push_back(::toAttribute(candidate, context));
    parts.push_back(b.getDictionaryAttr({b.getNamedAttr("part", b.getStringAttr(list.part)),
                                         b.getNamedAttr("candidates", b.getArrayAttr(candidates))}));
  }
  return b.getArrayAttr(parts);
}

static double numberOf(Attribute attribute) { return cast<FloatAttr>(attribute).getValueAsDouble(); }

static Candidate candidateFrom(DictionaryAttr entries) {
  Candidate candidate;
  candidate.cost.cost = numberOf(entries.get("cost"));
  candidate.cost.unit = entries.getAs<StringAttr>("unit").str();
  for (Attribute listed : entries.getAs<ArrayAttr>("kernels")) {
    auto kernel = cast<ArrayAttr>(listed);
    KernelCost &cost = candidate.cost.kernels.emplace_back();
    cost.cost = numberOf(kernel[0]);
    for (Attribute counted : cast<ArrayAttr>(kernel[1])) {
      auto pair = cast<ArrayAttr>(counted);
      cost.counted.emplace_back(cast<StringAttr>(pair[0]).str(), numberOf(pair[1]));
    }
  }
  std::string error;
  (void)fromAttribute(entries.getAs<ArrayAttr>("schedule"), {}, candidate.schedule, error); // written by toAttribute
  return candidate;
}

std::vector<CandidateList> passes::candidatesFrom(ArrayAttr attribute) {
  std::vector<CandidateList> lists;
  for (Attribute listed : attribute) {
    auto entries = cast<DictionaryAttr>(listed);
    CandidateList &list = lists.emplace_back();
    list.part = entries.getAs<StringAttr>("part").str();
    for (Attribute candidate : entries.getAs<ArrayAttr>("candidates"))
      list.candidates.push_back(candidateFrom(cast<DictionaryAttr>(candidate)));
  }
  return lists;
}
