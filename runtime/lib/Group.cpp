//===- Group.cpp - several GPUs that work on one problem ------------------===//

#include "Group.h"
#include "Meeting.h"
#include "Module.h"
#include "Status.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using namespace idc::runtime;

namespace {

/// An array that every rank has registered, or will have: where it begins on each, and how many bytes it has there.
struct Registered {
  explicit Registered(size_t ranks) : begin(ranks, nullptr), bytes(ranks, 0) {}
  std::vector<char *> begin; // as seen by this process
  std::vector<size_t> bytes;
};

constexpr int64_t defaultLimit = 30000, longestLimit = int64_t(1) << 40; // milliseconds

/// What the ranks of one process know together. A process that has one rank shares it with nobody.
struct Shared {
  Shared(const Driver &driver, size_t ranks) : driver(driver), meetings(ranks), next(ranks, 0), launches(ranks, 0) {}
  ~Shared() {
    if (reports)
      driver.memFreeHost(reports);
  }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;

  const Driver &driver;
  std::mutex mutex;
  std::vector<std::unique_ptr<Registered>> arrays; // null where none is registered any more
  std::vector<char *> meetings;                    // the words of each rank
  std::vector<size_t> next;                        // how many arrays each rank has registered
  int64_t limit = defaultLimit;                    // of the rank that was given one last
  volatile uint64_t *words() const { return static_cast<volatile uint64_t *>(reports); }
  void *reports = nullptr; // page-locked: a word of each rank, 0 until one of its meetings fails

  std::map<uint32_t, std::string> entries; // of what was launched, by its number
  /// What some rank of this process has launched and others have not; how many launches were before these, and how
  /// many each rank has made.
  std::deque<std::pair<uint32_t, int64_t>> pending; // number, batch
  size_t before = 0;
  std::vector<size_t> launches;

  std::string entryOf(uint32_t launched) const {
    auto found = entries.find(launched);
    return found == entries.end() ? "" : found->second;
  }
  /// Notes a launch, unless another rank's one in its place was of something else. `isAlone`: of one rank only.
  idc_status note(const Manifest &manifest, int64_t batch, int32_t rank, bool isAlone);
};

} // namespace

struct idc_group {
  const Driver *driver = nullptr;
  int32_t rank = 0, count = 0;
  CUcontext context = nullptr;
  char *meeting = nullptr; // own words
  std::shared_ptr<Shared> shared;
  idc_all_gather gather = nullptr; // null: all ranks are of this process
  void *user = nullptr;

  /// Memory of other processes that is open here: its handle, and where it begins.
  struct Opened {
    CUipcMemHandle handle;
    char *begin;
  };
  std::vector<Opened> opened;

  ~idc_group() {
    if (!driver)
      return;
    ContextScope scope(*driver, context);
    for (const Opened &memory : opened)
      driver->ipcCloseHandle(reinterpret_cast<CUdeviceptr>(memory.begin));
    if (meeting)
      driver->memFree(reinterpret_cast<CUdeviceptr>(meeting));
    shared.reset(); // and its memory with the last rank, in a context
  }

  idc_status makeMeeting();
  /// Writes how long the device waits for others to its words.
  idc_status setLimit(int64_t milliseconds);
  /// Where the other processes' arrays that begin like this one lie here; that of the own rank is `pointer`.
  idc_status share(char *pointer, size_t bytes, Registered &array);
  idc_status open(const CUipcMemHandle &handle, char *&begin);
};

namespace {

/// The other ranks' memory as it is reached during a launch.
class GroupPeers final : public Peers {
public:
  explicit GroupPeers(const idc_group &group) : group(group) {}

  idc_status admit(const Manifest &manifest, int64_t batch, const Operands &operands) const override {
    for (const Kernel &kernel : manifest.kernels)
      for (const Argument &argument : kernel.arguments)
        if (const int64_t bytes = bytesOf(argument, manifest, batch);
            bytes && !find(pointerFor(argument, batch, operands), bytes, argument.device))
          return fail(IDC_ERROR_INVALID_ARGUMENT,
                      "kernel '%s' reaches memory of device %d that is not registered with the group",
                      kernel.name.c_str(), int(argument.device));
    return group.shared->note(manifest, batch, group.rank, group.gather != nullptr);
  }
  void *at(const void *own, int32_t device) const override { return find(own, 1, device); }
  void *meeting(int32_t device) const override { return group.shared->meetings[size_t(device)]; }
  void *report() const override { return const_cast<uint64_t *>(group.shared->words() + group.rank); }
  int32_t device() const override { return group.rank; }

private:
  const idc_group &group;

  /// Bytes of another device that a kernel may reach from this argument on; 0 for what is in no other's memory.
  int64_t bytesOf(const Argument &argument, const Manifest &manifest, int64_t batch) const {
    using Kind = Argument::Kind;
    if (argument.device < 0 || argument.device == group.rank)
      return 0;
    if (argument.kind == Kind::Workspace)
      return manifest.workspaceBytes(batch) - batch * argument.bytesPerProblem - argument.offset;
    if (argument.kind != Kind::Input && argument.kind != Kind::Output)
      return 0;
    for (const Operand &operand : argument.kind == Kind::Input ? manifest.inputs : manifest.outputs)
      if (const auto plane = size_t(argument.operand - operand.firstPointer); plane < operand.planes.size())
        return (operand.offset + operand.reach(batch)) * operand.planes[plane].bytes;
    return 0;
  }

  /// Where `bytes` bytes at `own` lie in the memory of another device; null when they are not registered by both.
  void *find(const void *own, int64_t bytes, int32_t device) const {
    std::lock_guard<std::mutex> lock(group.shared->mutex);
    const auto rank = size_t(group.rank), other = size_t(device);
    const auto *begin = static_cast<const char *>(own);
    for (const std::unique_ptr<Registered> &array : group.shared->arrays) {
      if (!array || !array->begin[rank] || begin < array->begin[rank])
        continue;
      if (const auto distance = uint64_t(begin - array->begin[rank]); distance < array->bytes[rank])
        return array->begin[other] && distance + uint64_t(bytes) <= std::min(array->bytes[rank], array->bytes[other])
                   ? array->begin[other] + distance
                   : nullptr;
    }
    return nullptr;
  }
};

idc_status nullArgument(const char *name) { return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", name); }

idc_status checkCount(int32_t count) {
  if (count >= 1 && count <= mostDevices)
    return IDC_SUCCESS;
  return fail(IDC_ERROR_INVALID_ARGUMENT, "a group has 1 to %d ranks, not %d", int(mostDevices), int(count));
}

} // namespace

idc_status Shared::note(const Manifest &manifest, int64_t batch, int32_t rank, bool isAlone) {
  const uint32_t launched = launchedNumber(manifest, batch);
  std::lock_guard<std::mutex> lock(mutex);
  const std::string &entry = entries[launched] = manifest.symbol;
  if (isAlone)
    return IDC_SUCCESS;
  size_t &own = launches[size_t(rank)];
  if (const size_t place = own - before; place == pending.size())
    pending.emplace_back(launched, batch);
  else if (const auto &[expected, otherBatch] = pending[place]; expected != launched)
    return fail(IDC_ERROR_GROUP,
                "rank %d launches '%s' with a batch of %lld where another rank has launched '%s' with a batch of %lld",
                int(rank), entry.c_str(), static_cast<long long>(batch), entries[expected].c_str(),
                static_cast<long long>(otherBatch));
  ++own;
  for (const size_t least = *std::min_element(launches.begin(), launches.end()); before < least; ++before)
    pending.pop_front();
  return IDC_SUCCESS;
}

idc_status idc_group::makeMeeting() {
  ContextScope scope(*driver, context);
  if (scope.status())
    return scope.status();
  if (!shared->reports) {
    const size_t bytes = sizeof(uint64_t) * size_t(count);
    if (idc_status status =
            driver->check(driver->memAllocHost(&shared->reports, bytes), "allocating a group's reports"))
      return status;
    std::memset(shared->reports, 0, bytes);
  }
  CUdeviceptr words = 0;
  const size_t bytes = sizeof(uint64_t) * meetingWords(size_t(count));
  if (idc_status status = driver->check(driver->memAlloc(&words, bytes), "allocating a group's words"))
    return status;
  meeting = reinterpret_cast<char *>(words);
  if (idc_status status = driver->check(driver->setBytes(words, 0, bytes, nullptr), "clearing a group's words"))
    return status;
  return setLimit(defaultLimit);
}

idc_status idc_group::setLimit(int64_t milliseconds) {
  ContextScope scope(*driver, context);
  if (scope.status())
    return scope.status();
  const uint64_t nanoseconds = uint64_t(milliseconds) * 1000000;
  const auto place = reinterpret_cast<CUdeviceptr>(meeting) + sizeof nanoseconds * limitWord(size_t(count));
  if (idc_status status = driver->check(driver->copyToDevice(place, &nanoseconds, sizeof nanoseconds, nullptr),
                                        "setting a group's limit"))
    return status;
  if (idc_status status = driver->check(driver->streamSynchronize(nullptr), "setting a group's limit"))
    return status;
  std::lock_guard<std::mutex> lock(shared->mutex);
  shared->limit = milliseconds;
  return IDC_SUCCESS;
}

idc_status idc_group::open(const CUipcMemHandle &handle, char *&begin) {
  for (const Opened &memory : opened)
    if (!std::memcmp(&memory.handle, &handle, sizeof handle)) {
      begin = memory.begin;
      return IDC_SUCCESS;
    }
  CUdeviceptr address = 0;
  if (idc_status status = driver->check(driver->ipcOpenHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                                        "opening another process's memory"))
    return status;
  begin = reinterpret_cast<char *>(address);
  opened.push_back({handle, begin});
  return IDC_SUCCESS;
}

idc_status idc_group::share(char *pointer, size_t bytes, Registered &array) {
  struct Message {
    CUipcMemHandle handle;
    uint64_t distance, bytes;
    int32_t status;
  };
  ContextScope scope(*driver, context);
  // A rank that fails tells the others, which then fail as well.
  auto describe = [&](Message &own) -> idc_status {
    if (scope.status())
      return scope.status();
    CUdeviceptr base = 0, address = reinterpret_cast<CUdeviceptr>(pointer);
    size_t whole = 0;
    if (idc_status status = driver->check(driver->addressRange(&base, &whole, address), "finding an array's memory"))
      return status;
    own.distance = address - base;
    return driver->check(driver->ipcGetHandle(&own.handle, base), "sharing an array's memory");
  };
  Message own{};
  own.bytes = bytes;
  own.status = describe(own);
  std::vector<Message> all(static_cast<size_t>(count));
  if (gather(&own, all.data(), sizeof own, user))
    return fail(IDC_ERROR_DRIVER, "gathering from the ranks of the group failed");
  if (own.status)
    return idc_status(own.status);
  for (int32_t other = 0; other < count; ++other) {
    const Message &message = all[size_t(other)];
    if (message.status)
      return fail(idc_status(message.status), "rank %d cannot share its array", int(other));
    char *begin = pointer;
    if (other != rank) {
      if (idc_status status = open(message.handle, begin))
        return status;
      begin += message.distance;
    }
    array.begin[size_t(other)] = begin;
    array.bytes[size_t(other)] = size_t(message.bytes);
  }
  return IDC_SUCCESS;
}

idc_status idc_group_of_devices(int32_t count, const int32_t *devices, idc_group **ranks) {
  if (!devices || !ranks)
    return nullArgument(devices ? "ranks" : "devices");
  if (idc_status status = checkCount(count))
    return status;
  std::fill_n(ranks, count, nullptr);
  return guarded([&]() -> idc_status {
    const Driver *driver = nullptr;
    if (idc_status status = Driver::get(driver))
      return status;
    auto shared = std::make_shared<Shared>(*driver, size_t(count));
    std::vector<std::unique_ptr<idc_group>> group;
    std::vector<CUdevice> handles(static_cast<size_t>(count), 0);
    for (int32_t rank = 0; rank < count; ++rank) {
      auto own = std::make_unique<idc_group>();
      own->driver = driver;
      own->rank = rank;
      own->count = count;
      own->shared = shared;
      CUdevice &device = handles[size_t(rank)];
      if (idc_status status = driver->check(driver->deviceGet(&device, devices[rank]), "finding a group's device"))
        return status;
      if (idc_status status =
              driver->check(driver->primaryContextRetain(&own->context, device), "using a group's device"))
        return status;
      if (idc_status status = own->makeMeeting())
        return status;
      shared->meetings[size_t(rank)] = own->meeting;
      group.push_back(std::move(own));
    }
    for (int32_t from = 0; from < count; ++from)
      for (int32_t to = 0; to < count; ++to) {
        if (handles[size_t(from)] == handles[size_t(to)])
          continue;
        int can = 0;
        driver->canAccessPeer(&can, handles[size_t(from)], handles[size_t(to)]);
        if (!can)
          return fail(IDC_ERROR_UNSUPPORTED, "device %d cannot reach the memory of device %d", int(devices[from]),
                      int(devices[to]));
        ContextScope scope(*driver, group[size_t(from)]->context);
        CUresult result = driver->enablePeerAccess(group[size_t(to)]->context, 0);
        if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
          return driver->check(result, "letting devices reach each other's memory");
      }
    for (int32_t rank = 0; rank < count; ++rank)
      ranks[rank] = group[size_t(rank)].release();
    return IDC_SUCCESS;
  });
}

idc_status idc_group_create(int32_t rank, int32_t count, idc_all_gather gather, void *user, idc_group **group) {
  if (!gather || !group)
    return nullArgument(gather ? "group" : "gather");
  *group = nullptr;
  if (idc_status status = checkCount(count))
    return status;
  if (rank < 0 || rank >= count)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "rank %d is none of 0 to %d", int(rank), int(count - 1));
  return guarded([&]() -> idc_status {
    auto own = std::make_unique<idc_group>();
    if (idc_status status = Driver::get(own->driver))
      return status;
    own->rank = rank;
    own->count = count;
    own->gather = gather;
    own->user = user;
    own->shared = std::make_shared<Shared>(*own->driver, size_t(count));
    if (idc_status status = own->driver->ensureContext())
      return status;
    if (idc_status status =
            own->driver->check(own->driver->contextGetCurrent(&own->context), "reading the current context"))
      return status;
    if (idc_status status = own->makeMeeting())
      return status;
    Registered words{size_t(count)};
    if (idc_status status = own->share(own->meeting, sizeof(uint64_t) * meetingWords(size_t(count)), words))
      return status;
    own->shared->meetings = words.begin;
    *group = own.release();
    return IDC_SUCCESS;
  });
}

idc_status idc_group_destroy(idc_group *group) {
  delete group;
  return IDC_SUCCESS;
}

CUcontext idc::runtime::contextOf(const idc_group &group) { return group.context; }

int32_t idc_group_rank(const idc_group *group) { return group ? group->rank : 0; }
int32_t idc_group_size(const idc_group *group) { return group ? group->count : 0; }
int32_t idc_module_devices(const idc_module *module) { return module ? module->manifest.devices : 0; }

idc_status idc_group_register(idc_group *group, void *pointer, size_t bytes) {
  if (!group || !pointer)
    return nullArgument(group ? "pointer" : "group");
  if (!bytes)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "an array of 0 bytes cannot be registered");
  return guarded([&]() -> idc_status {
    auto *begin = static_cast<char *>(pointer);
    const auto rank = size_t(group->rank);
    if (group->gather) {
      auto array = std::make_unique<Registered>(size_t(group->count));
      if (idc_status status = group->share(begin, bytes, *array))
        return status;
      std::lock_guard<std::mutex> lock(group->shared->mutex);
      group->shared->arrays.push_back(std::move(array));
      return IDC_SUCCESS;
    }
    std::lock_guard<std::mutex> lock(group->shared->mutex);
    std::vector<std::unique_ptr<Registered>> &arrays = group->shared->arrays;
    const size_t number = group->shared->next[rank]++;
    while (arrays.size() <= number)
      arrays.push_back(std::make_unique<Registered>(size_t(group->count)));
    arrays[number]->begin[rank] = begin;
    arrays[number]->bytes[rank] = bytes;
    return IDC_SUCCESS;
  });
}

idc_status idc_group_unregister(idc_group *group, void *pointer) {
  if (!group || !pointer)
    return nullArgument(group ? "pointer" : "group");
  std::lock_guard<std::mutex> lock(group->shared->mutex);
  const auto rank = size_t(group->rank);
  for (std::unique_ptr<Registered> &array : group->shared->arrays)
    if (array && array->begin[rank] == pointer) {
      if (group->gather)
        array.reset();
      else
        array->begin[rank] = nullptr;
      return IDC_SUCCESS;
    }
  return fail(IDC_ERROR_INVALID_ARGUMENT, "no array that begins there is registered");
}

idc_status idc_group_set_limit(idc_group *group, int64_t milliseconds) {
  if (!group)
    return nullArgument("group");
  if (milliseconds < 1 || milliseconds > longestLimit)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "a group waits 1 to 2^40 ms, not %lld",
                static_cast<long long>(milliseconds));
  return group->setLimit(milliseconds);
}

idc_status idc_group_check(const idc_group *group) {
  if (!group)
    return nullArgument("group");
  return guarded([&]() -> idc_status {
    std::lock_guard<std::mutex> lock(group->shared->mutex);
    for (int32_t rank = 0; rank < group->count; ++rank)
      if (const uint64_t report = group->shared->words()[rank]) {
        const Mark mark(report);
        return fail(IDC_ERROR_GROUP, "the group cannot be used any more: %s",
                    mark.text(group->shared->entryOf(mark.launched), group->shared->limit).c_str());
      }
    return IDC_SUCCESS;
  });
}

idc_status idc_group_launch(const idc_group *group, const idc_module *module, int64_t batch, const void *const *inputs,
                            const void *const *scalars, void *const *outputs, void *workspace, void *stream) {
  if (!group || !module)
    return nullArgument(group ? "module" : "group");
  if (module->manifest.devices != group->count)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "the module is for %d devices, the group has %d ranks",
                int(module->manifest.devices), int(group->count));
  if (idc_status status = idc_group_check(group))
    return status;
  return guarded([&]() -> idc_status {
    const GroupPeers peers(*group);
    return launchChecked(module, batch, {inputs, scalars, outputs, workspace, &peers}, stream);
  });
}
