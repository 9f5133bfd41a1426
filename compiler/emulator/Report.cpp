#include "compiler/emulator/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::emulator;

const char *emulator::faultName(Fault::Kind kind) {
  switch (kind) {
  case Fault::Kind::OutOfBounds:
    return "out of bounds";
  case Fault::Kind::Misaligned:
    return "misaligned";
  case Fault::Kind::ReadOnly:
    return "store to read-only memory";
  case Fault::Kind::Uninitialised:
    return "uninitialised";
  case Fault::Kind::Race:
    return "race";
  case Fault::Kind::DivergentBarrier:
    return "divergent barrier";
  case Fault::Kind::DivergentShuffle:
    return "divergent shuffle";
  case Fault::Kind::NoProgress:
    return "no progress";
  }
  return "";
}

int64_t KernelReport::faultCount(Fault::Kind kind) const {
  int64_t count = 0;
  for (const Fault &fault : faults)
    if (fault.kind == kind)
      count += fault.count;
  return count;
}

namespace {

template <class Visit> void eachCount(const KernelReport &r, Visit visit) {
  visit("instructions", r.instructions);
  visit("integer", r.integer);
  visit("fma", r.fma);
  visit("add", r.add);
  visit("mul", r.mul);
  visit("otherFloat", r.otherFloat);
  visit("barriers", r.barriers);
  visit("warpBarriers", r.warpBarriers);
  visit("clusterBarriers", r.clusterBarriers);
  visit("shuffles", r.shuffles);
}

void write(llvm::json::OStream &json, llvm::StringRef key, const SharedTraffic &t) {
  json.attributeObject(key, [&] {
    json.attribute("requests", t.requests);
    json.attribute("phases", t.phases);
    json.attribute("wavefronts", t.wavefronts);
    json.attribute("worstConflict", t.worstConflict);
  });
}

void write(llvm::json::OStream &json, llvm::StringRef key, const GlobalTraffic &t) {
  json.attributeObject(key, [&] {
    json.attribute("requests", t.requests);
    json.attribute("sectors", t.sectors);
    json.attribute("bytes", t.bytes);
    json.attribute("unusedBytes", t.unusedBytes);
  });
}

} // namespace

std::string emulator::toText(const KernelReport &r) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << r.name << ": " << r.blocks << (r.blocks == 1 ? " block" : " blocks") << " of " << r.threads << " threads"
     << (r.finished ? "\n" : ", ended by a fault\n");
  double threads = static_cast<double>(r.blocks) * static_cast<double>(r.threads);
  os << "  per thread:";
  eachCount(r, [&](const char *name, int64_t count) {
    if (count)
      os << ' ' << name << llvm::format(" %.4g", static_cast<double>(count) / threads);
  });
  os << '\n';
  auto shared = [&](const char *name, const SharedTraffic &t) {
    if (t.requests)
      os << "  " << name << ": " << t.requests << " requests, " << t.wavefronts << " wavefronts for " << t.phases
         << " phases, worst bank conflict " << t.worstConflict << '\n';
  };
  auto global = [&](const char *name, const GlobalTraffic &t) {
    if (t.requests)
      os << "  " << name << ": " << t.requests << " requests, " << t.sectors << " sectors, " << t.bytes << " bytes, "
         << t.unusedBytes << " unused\n";
  };
  shared("shared loads", r.sharedLoads);
  shared("shared stores", r.sharedStores);
  global("global loads", r.loads);
  global("global stores", r.stores);
  global("table loads", r.tables);
  for (const Fault &fault : r.faults) {
    os << "  " << faultName(fault.kind) << ": block " << fault.block << ", thread " << fault.thread << ": "
       << fault.detail << "\n    " << fault.op;
    if (fault.count > 1)
      os << " (" << fault.count << " times)";
    os << '\n';
  }
  return text;
}

std::string emulator::toJson(const std::vector<KernelReport> &reports) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.array([&] {
    for (const KernelReport &r : reports)
      json.object([&] {
        json.attribute("name", r.name);
        json.attribute("blocks", r.blocks);
        json.attribute("threads", r.threads);
        json.attribute("finished", r.finished);
        eachCount(r, [&](const char *name, int64_t count) { json.attribute(name, count); });
        write(json, "sharedLoads", r.sharedLoads);
        write(json, "sharedStores", r.sharedStores);
        write(json, "globalLoads", r.loads);
        write(json, "globalStores", r.stores);
        write(json, "tableLoads", r.tables);
        json.attributeArray("faults", [&] {
          for (const Fault &fault : r.faults)
            json.object([&] {
              json.attribute("kind", faultName(fault.kind));
              json.attribute("block", fault.block);
              json.attribute("thread", fault.thread);
              json.attribute("op", fault.op);
              json.attribute("detail", fault.detail);
              json.attribute("count", fault.count);
            });
        });
      });
  });
  stream << '\n';
  return text;
}
