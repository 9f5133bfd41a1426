// Reads the targets' data files.
#include "compiler/passes/Target.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace idc::passes;

static const std::pair<const char *, const char *> files[] = {
#include "TargetFiles.inc"
};

double idc::passes::costAt(const CostTable &table, int64_t size) {
  if (table.empty())
    return 1;
  if (size < table.front().first)
    return table.front().second * static_cast<double>(table.front().first) / static_cast<double>(size);
  double cost = table.front().second;
  for (const auto &[from, value] : table)
    if (from <= size)
      cost = value;
  return cost;
}

double RunCosts::at(int64_t runBytes, int64_t problemBytes) const {
  double cost = costAt(near, runBytes);
  if (far.empty() || problemBytes <= nearBytes)
    return cost;
  double share = std::log2(static_cast<double>(problemBytes) / static_cast<double>(nearBytes)) /
                 std::log2(static_cast<double>(farBytes) / static_cast<double>(nearBytes));
  return cost + std::min(share, 1.0) * (costAt(far, runBytes) - cost);
}

static CostTable readTable(const llvm::json::Object &file, llvm::StringRef name) {
  CostTable table;
  if (const llvm::json::Array *rows = file.getArray(name))
    for (const llvm::json::Value &row : *rows)
      if (const llvm::json::Array *pair = row.getAsArray(); pair && pair->size() == 2)
        table.emplace_back((*pair)[0].getAsInteger().value_or(0), (*pair)[1].getAsNumber().value_or(1));
  return table;
}

static bool readLatency(const llvm::json::Value &value, LatencyCosts &costs, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path.field("latency"));
  return map && map.map("multiprocessors", costs.multiprocessors) && map.map("launch", costs.launch) &&
         map.map("dependentLaunch", costs.dependentLaunch) && map.map("load", costs.load) &&
         map.map("pass", costs.pass) && map.map("element", costs.element) && map.map("barrier", costs.barrier) &&
         map.map("clusterBarrier", costs.clusterBarrier) && map.map("clusterBlock", costs.clusterBlock) &&
         map.map("clusterShare", costs.clusterShare) && map.map("multiprocessorBytes", costs.multiprocessorBytes) &&
         map.map("deviceBytes", costs.deviceBytes);
}

static bool readPasses(const llvm::json::Value &value, PassCosts &costs, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path.field("passes"));
  return map && map.map("registersPerWord", costs.registersPerWord) && map.map("ownRegisters", costs.ownRegisters) &&
         map.map("accesses", costs.accesses) && map.map("hidden", costs.hidden) && map.map("alone", costs.alone) &&
         map.map("idle", costs.idle) && map.map("spilled", costs.spilled) &&
         map.map("clusterDoubling", costs.clusterDoubling) && map.mapOptional("drawn", costs.drawn) &&
         map.map("free", costs.free) && map.map("perUnit", costs.perUnit) && map.map("runs", costs.runs);
}

static bool readClusters(const llvm::json::Value &value, ClusterCosts &costs, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path.field("clusters"));
  return map && map.map("firstFull", costs.firstFull) && map.map("full", costs.full) && map.map("wide", costs.wide) &&
         map.map("wideFull", costs.wideFull) && map.map("operand", costs.operand) &&
         map.map("operandWide", costs.operandWide) && map.map("operandFull", costs.operandFull) &&
         map.map("launched", costs.launched);
}

static bool readGroups(const llvm::json::Value &value, GroupCosts &costs, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path.field("groups"));
  return map && map.map("hidden", costs.hidden) && map.map("kernel", costs.kernel) && map.map("words", costs.words) &&
         map.map("runs", costs.runs) && map.map("spilled", costs.spilled) && map.map("threads", costs.threads) &&
         map.map("alone", costs.alone) && map.map("cluster", costs.cluster) &&
         map.map("clusterDoubling", costs.clusterDoubling) && map.map("team", costs.team) &&
         map.map("strided", costs.strided) && map.map("columns", costs.columns) && map.map("beyond", costs.beyond) &&
         map.map("parts", costs.parts) && map.map("phases", costs.phases) &&
         map.map("betweenPhases", costs.betweenPhases) && map.map("besideMemory", costs.besideMemory) &&
         map.map("fewThreads", costs.fewThreads) && map.map("betweenBlocks", costs.betweenBlocks);
}

static bool readLinkToHost(const llvm::json::Value &value, HostLink &link, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path.field("hostLink"));
  link.runCost = readTable(*value.getAsObject(), "runCost");
  link.reachedRunCost = readTable(*value.getAsObject(), "reachedRunCost");
  return map && map.map("bytesPerSecond", link.bytesPerSecond) &&
         map.map("bytesPerSecondBothWays", link.bytesPerSecondBothWays) && map.map("copySeconds", link.copySeconds) &&
         map.mapOptional("reachedShare", link.reachedShare) &&
         map.mapOptional("reachedShareBothWays", link.reachedShareBothWays) &&
         map.mapOptional("cpuBytesPerSecond", link.cpuBytesPerSecond) &&
         map.mapOptional("memoryBytesPerSecond", link.memoryBytesPerSecond);
}

llvm::Error idc::passes::readHostLink(llvm::StringRef text, HostLink &link) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  const llvm::json::Object *file = value->getAsObject();
  const llvm::json::Value *own = file ? file->get("hostLink") : nullptr;
  if (!own || !own->getAsObject() || !own->getAsObject()->getArray("runCost"))
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "there is no object 'hostLink' with a 'runCost'");
  llvm::json::Path::Root root("file");
  HostLink read;
  if (!readLinkToHost(*own, read, root))
    return root.getError();
  for (double rate :
       {read.bytesPerSecond, read.bytesPerSecondBothWays, read.cpuBytesPerSecond, read.memoryBytesPerSecond})
    if (!(rate > 0))
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "bytes per second must be more than 0");
  for (double share : {read.reachedShare, read.reachedShareBothWays})
    if (!(share > 0) || share > 1)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "shares must be more than 0, and at most 1");
  link = std::move(read);
  return llvm::Error::success();
}

static bool readLink(const llvm::json::Value &value, DeviceLink &link, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path.field("link"));
  link.runCost = readTable(*value.getAsObject(), "runCost");
  return map && map.map("copyBytesPerSecond", link.copyBytesPerSecond) &&
         map.map("bytesPerSecond", link.bytesPerSecond) && map.map("meetingSeconds", link.meetingSeconds) &&
         map.map("devices", link.devices) && map.map("bytesPerSecondBetweenHosts", link.bytesPerSecondBetweenHosts);
}

/// The fields of a target, with those of the one that it is like where it has none; null when there is no such file.
static llvm::Expected<llvm::json::Value> readFields(llvm::StringRef name) {
  for (const auto &[key, text] : files) {
    if (name != key)
      continue;
    llvm::Expected<llvm::json::Value> own = llvm::json::parse(text);
    std::optional<llvm::StringRef> like;
    if (own && own->getAsObject())
      like = own->getAsObject()->getString("like");
    if (!like)
      return own;
    llvm::Expected<llvm::json::Value> all = readFields(*like);
    if (!all || !all->getAsObject())
      return all;
    for (const auto &[field, value] : *own->getAsObject())
      (*all->getAsObject())[field] = value;
    return all;
  }
  return nullptr;
}

bool idc::passes::findTarget(llvm::StringRef name, Target &target, std::string &error) {
  llvm::Expected<llvm::json::Value> value = readFields(name);
  if (!value) {
    error = "target file " + name.str() + ": " + llvm::toString(value.takeError());
    return false;
  }
  if (value->getAsObject()) {
    llvm::json::Path::Root root("target");
    llvm::json::ObjectMapper map(*value, root);
    target.name = name.str();
    bool ok =
        map && map.mapOptional("like", target.like) && map.map("kind", target.kind) && map.map("chip", target.chip) &&
        map.map("features", target.features) && map.map("lanes", target.lanes) &&
        map.map("maxThreadsPerBlock", target.maxThreadsPerBlock) && map.map("maxCluster", target.maxCluster) &&
        map.map("cooperativeBlocks", target.cooperativeBlocks) && map.map("dependentLaunch", target.dependentLaunch) &&
        map.map("registersPerMultiprocessor", target.registersPerMultiprocessor) &&
        map.map("sharedBytesPerMultiprocessor", target.sharedBytesPerMultiprocessor) &&
        map.map("sharedBytesPerBlock", target.sharedBytesPerBlock) && map.map("sectorBytes", target.sectorBytes) &&
        map.map("vectorBytes", target.vectorBytes) && map.mapOptional("nearTileBytes", target.nearTileBytes) &&
        map.mapOptional("pastCacheBytes", target.pastCacheBytes) &&
        map.map("dataRegistersPerThread", target.dataRegistersPerThread) && map.map("groupWords", target.groupWords) &&
        map.mapOptional("levelWords", target.levelWords) && map.mapOptional("levelRunBytes", target.levelRunBytes) &&
        map.map("maxMixedBytes", target.maxMixedBytes) && map.map("tileBytes", target.tileBytes) &&
        map.map("maxTileBytes", target.maxTileBytes) && map.map("ringBytes", target.ringBytes) &&
        map.map("sharedBytesBesideCache", target.sharedBytesBesideCache) &&
        map.mapOptional("ringCost", target.ringCost) && map.mapOptional("mixedRingCost", target.mixedRingCost) &&
        map.mapOptional("aloneCost", target.aloneCost) && map.mapOptional("exchangeCost", target.exchangeCost) &&
        map.mapOptional("rangeCost", target.rangeCost) &&
        map.mapOptional("threadsPerMultiprocessor", target.threadsPerMultiprocessor) &&
        map.mapOptional("blocksPerMultiprocessor", target.blocksPerMultiprocessor) &&
        map.mapOptional("schedulers", target.schedulers);
    if (!ok) {
      error = "target file " + name.str() + ": " + llvm::toString(root.getError());
      return false;
    }
    const llvm::json::Object &file = *value->getAsObject();
    int64_t nearBytes = file.getInteger("nearBytes").value_or(1), farBytes = file.getInteger("farBytes").value_or(1);
    target.loadRunCost = {readTable(file, "loadRunCost"), readTable(file, "farLoadRunCost"), nearBytes, farBytes};
    target.storeRunCost = {readTable(file, "storeRunCost"), readTable(file, "farStoreRunCost"), nearBytes, farBytes};
    target.clusterCost = readTable(file, "clusterCost");
    const llvm::json::Value *passes = file.get("passes"), *groups = file.get("groups"), *latency = file.get("latency"),
                            *clusters = file.get("clusters"), *hostLink = file.get("hostLink"),
                            *link = file.get("link");
    if ((clusters && !readClusters(*clusters, target.clusters, root)) ||
        (passes && !readPasses(*passes, target.passes, root)) ||
        (groups && !readGroups(*groups, target.groups, root)) ||
        (latency && !readLatency(*latency, target.latency, root)) ||
        (hostLink && !readLinkToHost(*hostLink, target.hostLink, root)) ||
        (link && !readLink(*link, target.link.emplace(), root))) {
      error = "target file " + name.str() + ": " + llvm::toString(root.getError());
      return false;
    }
    return true;
  }
  error = "unknown target '" + name.str() + "'; known are";
  for (const std::string &known : targetNames())
    error += " " + known;
  return false;
}

std::optional<Target> idc::passes::findTarget(llvm::StringRef name, mlir::Operation *where) {
  Target target;
  std::string error;
  if (!findTarget(name, target, error)) {
    where->emitError() << error;
    return std::nullopt;
  }
  if (auto text = where->getAttrOfType<mlir::StringAttr>(hostLinkAttr))
    if (llvm::Error wrong = readHostLink(text, target.hostLink)) {
      where->emitError() << hostLinkAttr << ": " << llvm::toString(std::move(wrong));
      return std::nullopt;
    }
  if (auto room = where->getAttrOfType<mlir::IntegerAttr>(sharedRoomAttr))
    target.sharedBytesPerBlock = std::min(target.sharedBytesPerBlock, room.getInt());
  return target;
}

std::vector<std::string> idc::passes::targetNames() {
  std::vector<std::string> names;
  for (const auto &[key, text] : files)
    names.emplace_back(key);
  llvm::sort(names, [](const std::string &a, const std::string &b) {
    return std::make_pair(a.size(), a) < std::make_pair(b.size(), b); // sm_90 before sm_100
  });
  return names;
}

std::string idc::passes::newestTargetFor(int major, int minor) {
  std::string newest;
  for (const std::string &name : targetNames())
    if (int number = 0; llvm::StringRef(name).starts_with("sm_") &&
                        !llvm::StringRef(name).drop_front(3).getAsInteger(10, number) && number <= 10 * major + minor)
      newest = name;
  return newest;
}

int64_t Target::registersBeside(int64_t dataRegisters) const {
  return dataRegisters <= 16 ? 40 : dataRegisters <= 32 ? 64 : dataRegisters <= 64 ? 128 : 168;
}

int64_t Target::residentBlocks(int64_t threads, int64_t registersPerThread, int64_t sharedBytes) const {
  int64_t blocks = std::min({registersPerMultiprocessor / (registersPerThread * threads),
                             threadsPerMultiprocessor / threads, blocksPerMultiprocessor});
  if (sharedBytes > 0)
    blocks = std::min(blocks, sharedBytesPerMultiprocessor / sharedBytes);
  return std::max<int64_t>(1, blocks);
}

int64_t Target::residentBlocksOfWarps(int64_t threads, int64_t registersPerThread, int64_t sharedBytes) const {
  constexpr int64_t unit = 8; // registers of a thread
  const int64_t ofWarp = llvm::alignTo(registersPerThread, unit) * lanes;
  const int64_t warps = schedulers * (registersPerMultiprocessor / schedulers / ofWarp);
  const int64_t own = llvm::divideCeil(threads, lanes);
  return std::max<int64_t>(1, std::min(warps / own, residentBlocks(own * lanes, 1, sharedBytes)));
}
