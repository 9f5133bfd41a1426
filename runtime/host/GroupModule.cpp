//===- GroupModule.cpp - a module that several GPUs run -------------------===//

#include "host/GroupModule.h"
#include "host/Error.h"
#include "host/Memory.h"
#include "lib/Shares.h"
#include "lib/Status.h"

#include <algorithm>
#include <chrono>

using namespace idc;
using namespace idc::host;

GroupModule::GroupModule(runtime::Manifest ofDevice)
    : idc_module(runtime::wholeOf(ofDevice)), ofDevice(std::move(ofDevice)) {}

std::unique_ptr<GroupModule> GroupModule::load(const std::string &image, const std::string &manifest) {
  std::unique_ptr<GroupModule> module;
  try {
    module.reset(new GroupModule(runtime::parseManifest(manifest)));
  } catch (const runtime::ManifestError &error) {
    throw Error(error.what());
  }
  if (const int32_t devices = module->ofDevice.devices, present = idc_device_count(); present < devices)
    throw Error("the program is for " + std::to_string(devices) + " devices, and there " +
                (present == 1 ? "is 1" : "are " + std::to_string(present)));
  check(module->load(image.data(), image.size(), manifest));
  return module;
}

idc_status GroupModule::load(const void *image, size_t imageBytes, const std::string &manifest) {
  std::vector<int32_t> devices;
  for (int32_t device = 0; device < ofDevice.devices; ++device)
    devices.push_back(device);
  std::vector<idc_group *> group(devices.size());
  if (idc_status status = idc_group_of_devices(ofDevice.devices, devices.data(), group.data()))
    return status;
  ranks.resize(devices.size());
  for (int32_t device : devices) {
    ranks[size_t(device)].device = device;
    ranks[size_t(device)].group = group[size_t(device)];
  }
  return forEachRank([&](Rank &rank) -> idc_status {
    if (idc_status status = idc_module_load(image, imageBytes, manifest.data(), manifest.size(), &rank.module))
      return status;
    return idc_stream_create(&rank.stream);
  });
}

GroupModule::~GroupModule() {
  (void)forEachRank([&](Rank &rank) {
    free(rank);
    idc_stream_destroy(rank.stream);
    return idc_module_unload(rank.module);
  });
  for (Rank &rank : ranks)
    idc_group_destroy(rank.group);
}

idc_status GroupModule::forEachRank(const std::function<idc_status(Rank &)> &act) const {
  idc_status status = IDC_SUCCESS;
  for (Rank &rank : ranks)
    if ((status = idc_device_use(rank.device)) || (status = act(rank)))
      break;
  const std::string detail = status ? idc_last_error() : "";
  (void)idc_device_use(0);
  return status ? runtime::fail(status, "%s", detail.c_str()) : IDC_SUCCESS;
}

void GroupModule::free(Rank &rank) const {
  if (!rank.memory)
    return;
  idc_group_unregister(rank.group, rank.memory);
  idc_device_free(rank.memory);
  rank.memory = nullptr;
}

/// Memory for a batch on every device.
idc_status GroupModule::prepare(int64_t batch) const {
  if (this->batch == batch)
    return IDC_SUCCESS;
  this->batch = 0;
  setBytes = operandBytes = 0;
  auto describe = [&](const std::vector<runtime::Operand> &side, std::vector<Place> &places) {
    places.clear();
    for (const runtime::Operand &operand : side) {
      const int64_t bytes = batch * operand.bytesPerProblem();
      places.push_back({&operand, setBytes, bytes});
      operandBytes += bytes;
      setBytes += (bytes + 255) / 256 * 256;
    }
  };
  describe(ofDevice.inputs, inputs);
  describe(ofDevice.outputs, outputs);
  const size_t bytes = size_t(setBytes + ofDevice.workspaceBytes(batch));
  if (idc_status status = forEachRank([&](Rank &rank) -> idc_status {
        free(rank);
        void *memory = nullptr;
        if (idc_status status = idc_device_alloc(bytes, &memory))
          return status;
        rank.memory = static_cast<char *>(memory);
        return idc_group_register(rank.group, memory, bytes);
      }))
    return status;
  this->batch = batch;
  return IDC_SUCCESS;
}

idc_status GroupModule::launchOn(const Rank &rank, char *set) const {
  std::vector<const void *> in;
  std::vector<void *> out;
  for (const Place &place : inputs)
    in.push_back(set + place.offset);
  for (const Place &place : outputs)
    out.push_back(set + place.offset);
  return idc_group_launch(rank.group, rank.module, batch, in.data(), rank.scalars.data(), out.data(),
                          rank.memory + setBytes, rank.stream);
}

/// Gives a device what it has of the operands.
idc_status GroupModule::share(const Rank &rank, const runtime::Operands &operands) const {
  std::vector<char> part;
  auto give = [&](const Place &place, const void *whole) {
    part.resize(size_t(place.bytes));
    runtime::takeShare(*place.operand, batch, rank.device, static_cast<const char *>(whole), part.data());
    if (idc_status status = idc_device_upload(rank.memory + place.offset, part.data(), part.size(), rank.stream))
      return status;
    return idc_stream_synchronize(rank.stream);
  };
  for (const Place &place : inputs)
    if (idc_status status = give(place, operands.inputs[place.operand->firstPointer]))
      return status;
  for (const Place &place : outputs)
    if (idc_status status = give(place, operands.outputs[place.operand->firstPointer]))
      return status;
  return IDC_SUCCESS;
}

idc_status GroupModule::collect(const Rank &rank, const runtime::Operands &operands) const {
  for (const Place &place : outputs) {
    std::vector<char> part(static_cast<size_t>(place.bytes));
    if (idc_status status = idc_device_download(part.data(), rank.memory + place.offset, part.size(), rank.stream))
      return status;
    if (idc_status status = idc_stream_synchronize(rank.stream))
      return status;
    runtime::putShare(*place.operand, batch, rank.device, part.data(),
                      static_cast<char *>(operands.outputs[place.operand->firstPointer]));
  }
  return IDC_SUCCESS;
}

/// Waits for all devices, and asks whether they have met.
idc_status GroupModule::synchronize() const {
  if (idc_status status = forEachRank([](Rank &rank) { return idc_stream_synchronize(rank.stream); }))
    return status;
  return idc_group_check(ranks.front().group);
}

idc_status GroupModule::launch(int64_t batch, const runtime::Operands &operands, void *) const {
  return runtime::guarded([&]() -> idc_status {
    if (idc_status status = prepare(batch))
      return status;
    if (idc_status status = forEachRank([&](Rank &rank) {
          if (operands.scalars)
            rank.scalars.assign(operands.scalars, operands.scalars + manifest.scalars.size());
          return share(rank, operands);
        }))
      return status;
    if (idc_status status = forEachRank([&](Rank &rank) { return launchOn(rank, rank.memory); }))
      return status;
    if (idc_status status = synchronize())
      return status;
    return forEachRank([&](Rank &rank) { return collect(rank, operands); });
  });
}

double GroupModule::seconds(const std::function<idc_status(const Rank &, int64_t)> &act, int64_t count,
                            int repeat) const {
  // Recorded, so that it is not the host that is measured.
  std::vector<std::shared_ptr<void>> graphs;
  check(forEachRank([&](Rank &rank) -> idc_status {
    if (idc_status status = idc_graph_begin(rank.stream))
      return status;
    idc_status done = IDC_SUCCESS;
    for (int64_t number = 0; number < count && !done; ++number)
      done = act(rank, number);
    const std::string detail = done ? idc_last_error() : "";
    void *graph = nullptr;
    const idc_status ended = idc_graph_end(rank.stream, &graph);
    graphs.emplace_back(graph, idc_graph_destroy);
    return done ? runtime::fail(done, "%s", detail.c_str()) : ended;
  }));
  std::vector<double> times;
  for (int k = 0; k <= repeat; ++k) { // the first warms up
    const auto begin = std::chrono::steady_clock::now();
    check(forEachRank([&](Rank &rank) { return idc_graph_launch(graphs[size_t(rank.device)].get(), rank.stream); }));
    check(synchronize());
    if (k)
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + repeat / 2, times.end());
  return times[size_t(repeat / 2)] / double(count);
}

GroupModule::Times GroupModule::measure(int repeat) const {
  // As many sets of operands that none is still in the cache when its turn comes again.
  constexpr int64_t leastLaunches = 8, mostSets = 256;
  int64_t cacheBytes = 0;
  check(idc_device_l2_bytes(&cacheBytes));
  const int64_t sets = std::clamp<int64_t>((2 * cacheBytes + setBytes - 1) / setBytes, 1, mostSets),
                launches = std::max(sets, leastLaunches);
  std::vector<char *> more(ranks.size());
  auto release = [&] {
    (void)forEachRank([&](Rank &rank) {
      if (char *memory = more[size_t(rank.device)]) {
        idc_group_unregister(rank.group, memory);
        idc_device_free(memory);
      }
      return IDC_SUCCESS;
    });
  };
  const std::unique_ptr<void, std::function<void(void *)>> releasing(this->ranks.data(), [&](void *) { release(); });
  auto set = [&](const Rank &rank, int64_t number) {
    return number % sets == 0 ? rank.memory : more[size_t(rank.device)] + (number % sets - 1) * setBytes;
  };
  if (sets > 1)
    check(forEachRank([&](Rank &rank) -> idc_status {
      void *memory = nullptr;
      const size_t bytes = size_t((sets - 1) * setBytes);
      if (idc_status status = idc_device_alloc(bytes, &memory))
        return status;
      more[size_t(rank.device)] = static_cast<char *>(memory);
      for (int64_t number = 1; number < sets; ++number)
        if (idc_status status = idc_device_copy(set(rank, number), rank.memory, size_t(setBytes), rank.stream))
          return status;
      return idc_group_register(rank.group, memory, bytes);
    }));
  Times times{};
  times.launch =
      seconds([&](const Rank &rank, int64_t number) { return launchOn(rank, set(rank, number)); }, launches, repeat);
  // A copy overwrites the operands, hence comes last.
  times.copy = seconds(
      [&](const Rank &rank, int64_t number) {
        char *at = set(rank, number);
        return idc_device_copy(at + setBytes / 2, at, size_t(operandBytes / 2), rank.stream);
      },
      launches, repeat);
  return times;
}

std::string GroupModule::processor() const {
  char name[256] = "";
  check(idc_device_name(name, sizeof name));
  return std::to_string(ranks.size()) + " x " + name;
}
