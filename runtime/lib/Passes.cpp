//===- Passes.cpp - data in host memory, chunk by chunk -------------------===//

#include "Passes.h"

#include "Status.h"

#include <algorithm>
#include <string>

using namespace idc::runtime;

namespace {

constexpr int64_t alignment = 256; // of arrays in device memory, in bytes
/// Slots that the chunks of an array take in turn. What every chunk needs has one; else one is copied and one is worked
/// on; where an output takes the memory of an input, one is copied in, one is worked on and one is copied out. What
/// kernels reach in the host's memory has none.
constexpr size_t noSlots = 0, sameSlots = 1, ownSlots = 2, sharedSlots = 3;

int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// A part of a pass: a chunk of one problem, or all of several problems where a pass has one chunk.
struct Piece {
  int64_t problem, problems;
  int32_t chunk;
};

/// Where an array's chunks lie in the device's memory.
struct Place {
  int64_t begin, slotBytes;
  size_t slots;

  int64_t of(size_t piece) const { return begin + int64_t(piece % slots) * slotBytes; }
};

bool anyHas(const std::vector<Place> &places, size_t slots) {
  return std::any_of(places.begin(), places.end(), [&](const Place &place) { return place.slots == slots; });
}

/// Where a pass's arrays lie in the device's memory, and behind them the workspace.
class Places {
public:
  Places(const Pass &pass, int64_t problems) : problems(problems) {
    const std::vector<Operand> &in = pass.kernels.inputs, &out = pass.kernels.outputs;
    const bool isDivided = pass.kernels.devices > 1;
    auto isSame = [&](const Operand &input) { return isDivided && input.deviceDigits.empty(); };
    std::vector<const Operand *> takenBy(in.size()); // the output that has the memory of each input
    for (size_t k = 0; k < out.size(); ++k)
      for (int32_t input : out[k].inPlace)
        if (!pass.outputs[k].isReached && !pass.inputs[size_t(input)].isReached && !takenBy[size_t(input)] &&
            !isSame(in[size_t(input)])) {
          takenBy[size_t(input)] = &out[k];
          break;
        }
    for (size_t k = 0; k < in.size(); ++k)
      inputs.push_back(add(in[k], pass.inputs[k].isReached ? noSlots
                                  : isSame(in[k])          ? sameSlots
                                  : takenBy[k]             ? sharedSlots
                                                           : ownSlots));
    for (size_t k = 0; k < out.size(); ++k) {
      auto taken = std::find(takenBy.begin(), takenBy.end(), &out[k]);
      outputs.push_back(taken == takenBy.end() ? add(out[k], pass.outputs[k].isReached ? noSlots : ownSlots)
                                               : inputs[size_t(taken - takenBy.begin())]);
    }
    workspace = bytes;
    bytes += aligned(pass.kernels.workspaceBytes(problems));
  }

  std::vector<Place> inputs, outputs;
  int64_t workspace = 0, bytes = 0;

private:
  Place add(const Operand &operand, size_t slots) {
    const Place place{bytes, aligned(problems * operand.bytesPerProblem()), slots};
    bytes += int64_t(slots) * place.slotBytes;
    return place;
  }
  int64_t problems;
};

/// One launch of a host program.
class Run {
public:
  Run(const Manifest &manifest, const std::vector<ChunkDevice> &devices, const CpuChunks *cpu, int64_t batch,
      const idc_host_call &call)
      : manifest(manifest), devices(devices), cpu(cpu), batch(batch), call(call) {}

  idc_status operator()() {
    const bool isUndivided = std::all_of(manifest.passes.begin(), manifest.passes.end(),
                                         [](const Pass &pass) { return pass.kernels.devices == 1; });
    const int64_t problems = isUndivided ? problemsOfPiece() : 1;
    all = 0;
    for (const Pass &pass : manifest.passes)
      all += (batch + problems - 1) / problems * pass.kernels.devices;
    const int64_t together = isUndivided ? batch : 1; // problems that go through a pass before the next begins
    for (int64_t problem = 0; problem < batch; problem += together)
      for (size_t k = 0; k < manifest.passes.size(); ++k)
        if (idc_status status = runPass(k, problem, together, problems))
          return status;
    return IDC_SUCCESS;
  }

private:
  /// As many problems as the memory holds, but few enough that copies and kernels overlap.
  int64_t problemsOfPiece() const {
    constexpr int64_t pieces = 8;
    int64_t problems = std::max<int64_t>(1, batch / pieces);
    int64_t bytes = devices.front().memoryBytes;
    for (const ChunkDevice &device : devices)
      bytes = std::min(bytes, device.memoryBytes);
    for (const Pass &pass : manifest.passes)
      while (problems > 1 && Places(pass, problems).bytes > bytes)
        problems /= 2;
    return problems;
  }

  /// The passes of one pass over problems `first` … `first + count - 1`.
  idc_status runPass(size_t number, int64_t first, int64_t count, int64_t problems) {
    const Pass &pass = manifest.passes[number];
    const Places places(pass, problems);
    std::vector<Piece> pieces;
    const int32_t onDevices = pass.kernels.devices - pass.cpuChunks;
    for (int64_t problem = first; problem < first + count; problem += problems)
      for (int32_t chunk = 0; chunk < onDevices; ++chunk)
        pieces.push_back({problem, std::min(problems, first + count - problem), chunk});
    const int64_t before = done;
    const WholeOperands whole(*this, pass, {first, 1, 0});
    CpuWork onCpu(pass.cpuChunks, [&](int64_t i) { cpu->run(number, onDevices + int32_t(i), whole.operands); });
    int64_t left = 0; // pieces whose results are known to be there
    idc_status status = IDC_SUCCESS;
    const size_t onTheWay = eventsOfQueue * devices.size();
    for (size_t i = 0; i < pieces.size() && !status; ++i) {
      const ChunkDevice &device = devices[i % devices.size()];
      const size_t turn = i / devices.size();
      if (i >= onTheWay && (status = device.queues->finish(Queues::Out, turn % eventsOfQueue)))
        break;
      left = i >= onTheWay ? int64_t(i - onTheWay) + 1 : 0;
      if ((status = report(before + left + onCpu.finished())))
        break;
      status = enqueue(number, places, pieces[i], device, turn);
    }
    const std::string why = status ? idc_last_error() : "";
    idc_status last = IDC_SUCCESS;
    for (const ChunkDevice &device : devices)
      if (idc_status own = device.queues->finishAll(); own && !last)
        last = own;
    if (status)
      return fail(status, "%s (pass %zu of %zu, after %lld of %zu chunks)", why.c_str(), number + 1,
                  manifest.passes.size(), static_cast<long long>(left), pieces.size());
    if (last)
      return last;
    done = before + int64_t(pieces.size());
    for (int64_t finished = onCpu.finished(); finished < pass.cpuChunks; finished = onCpu.finishedBeyond(finished))
      if (idc_status status = report(done + finished))
        return status;
    done += pass.cpuChunks;
    return report(done);
  }

  /// What the CPU works on: arrays of the host, and a workspace.
  struct WholeOperands {
    WholeOperands(const Run &run, const Pass &pass, const Piece &piece) {
      for (size_t k = 0; k < pass.inputs.size(); ++k)
        inputs.push_back(run.hostPlace(pass.inputs[k], pass.kernels.inputs[k], piece));
      for (size_t k = 0; k < pass.outputs.size(); ++k)
        outputs.push_back(run.hostPlace(pass.outputs[k], pass.kernels.outputs[k], piece));
      char *workspace = static_cast<char *>(run.call.workspace) + run.batch * run.manifest.workspaceBytesPerProblem;
      operands = {inputs.data(), run.call.scalars, outputs.data(), workspace};
    }
    WholeOperands(const WholeOperands &) = delete;

    std::vector<const void *> inputs;
    std::vector<void *> outputs;
    Operands operands = {};
  };

  idc_status report(int64_t finished) {
    if (finished == reported || !call.progress)
      return IDC_SUCCESS;
    reported = finished;
    if (call.progress(finished, all, call.user) && finished < all)
      return fail(IDC_ERROR_STOPPED, "stopped after %lld of %lld chunks", static_cast<long long>(finished),
                  static_cast<long long>(all));
    return IDC_SUCCESS;
  }

  /// Gives a device's queues a piece, the i-th of a pass that it gets. The copy into a slot waits for the kernels that
  /// read what was there, and kernels that write one for the copy of what was there.
  idc_status enqueue(size_t number, const Places &places, const Piece &piece, const ChunkDevice &device, size_t i) {
    Queues &queues = *device.queues;
    const Pass &pass = manifest.passes[number];
    const size_t event = i % eventsOfQueue;
    std::vector<const void *> inputs;
    std::vector<void *> outputs;
    auto at = [&](int64_t place) { return static_cast<char *>(device.memory) + place; };
    // The piece that had a slot before, where there was one, has to be done with in a queue.
    auto waitForSlot = [&](Queues::Queue queue, const std::vector<Place> &arrays, size_t slots, Queues::Queue last) {
      return i < slots || !anyHas(arrays, slots) ? IDC_SUCCESS : queues.wait(queue, last, (i - slots) % eventsOfQueue);
    };
    if (idc_status status = waitForSlot(Queues::In, places.inputs, ownSlots, Queues::Kernels))
      return status;
    if (idc_status status = waitForSlot(Queues::In, places.inputs, sharedSlots, Queues::Out))
      return status;
    for (size_t k = 0; k < pass.kernels.inputs.size(); ++k) {
      const Operand &input = pass.kernels.inputs[k];
      if (pass.inputs[k].isReached) {
        inputs.push_back(hostPlace(pass.inputs[k], input, piece));
        continue;
      }
      char *own = at(places.inputs[k].of(i));
      inputs.push_back(own);
      if (i == 0 || places.inputs[k].slots != sameSlots)
        if (idc_status status = copyIn(queues, pass.inputs[k], input, piece, own))
          return status;
    }
    if (idc_status status = queues.record(Queues::In, event))
      return status;
    if (idc_status status = queues.wait(Queues::Kernels, Queues::In, event))
      return status;
    if (idc_status status = waitForSlot(Queues::Kernels, places.outputs, ownSlots, Queues::Out))
      return status;
    for (size_t k = 0; k < pass.kernels.outputs.size(); ++k)
      outputs.push_back(pass.outputs[k].isReached ? hostPlace(pass.outputs[k], pass.kernels.outputs[k], piece)
                                                  : at(places.outputs[k].of(i)));
    const ChunkNumber chunk(piece.chunk);
    if (idc_status status = queues.launch(number, piece.problems,
                                          {inputs.data(), call.scalars, outputs.data(), at(places.workspace), &chunk}))
      return status;
    if (idc_status status = queues.record(Queues::Kernels, event))
      return status;
    if (idc_status status = queues.wait(Queues::Out, Queues::Kernels, event))
      return status;
    for (size_t k = 0; k < pass.kernels.outputs.size(); ++k) {
      const Operand &output = pass.kernels.outputs[k];
      if (pass.outputs[k].isReached)
        continue;
      if (idc_status status = copyOut(queues, pass.outputs[k], output, piece, static_cast<const char *>(outputs[k])))
        return status;
    }
    return queues.record(Queues::Out, event);
  }

  /// The bytes of a problem's array in host memory. Where a pass has a longer one, it begins with that, and what is
  /// behind it is not copied. All of a value between passes is there.
  int64_t hostBytes(const HostPlace &place, const Operand &operand) const {
    const auto number = size_t(place.operand);
    switch (place.kind) {
    case HostPlace::Kind::Input:
      return manifest.inputs[number].bytesPerProblem();
    case HostPlace::Kind::Output:
      return manifest.outputs[number].bytesPerProblem();
    case HostPlace::Kind::Workspace:
      break;
    }
    return wholeElements(operand) * operand.elementBytes;
  }

  /// Where the whole array of a piece's first problem begins. A value between passes that lies in an output begins
  /// where the problem's result does, also where it is smaller: other problems' results may be there already.
  char *hostPlace(const HostPlace &place, const Operand &operand, const Piece &piece) const {
    const auto number = size_t(place.operand);
    switch (place.kind) {
    case HostPlace::Kind::Input:
      return static_cast<char *>(const_cast<void *>(call.inputs[number])) +
             piece.problem * manifest.inputs[number].bytesPerProblem();
    case HostPlace::Kind::Output:
      return static_cast<char *>(call.outputs[number]) + piece.problem * manifest.outputs[number].bytesPerProblem();
    case HostPlace::Kind::Workspace:
      break;
    }
    return static_cast<char *>(call.workspace) + batch * place.offset +
           piece.problem * wholeElements(operand) * operand.elementBytes;
  }

  idc_status copyIn(Queues &queues, const HostPlace &place, const Operand &input, const Piece &piece, char *own) const {
    const char *host = hostPlace(place, input, piece);
    return forEachCopy(place, input, piece, [&](int64_t whole, int64_t part, const Rectangle &rectangle) {
      return queues.copyIn(own + part, host + whole, rectangle);
    });
  }

  idc_status copyOut(Queues &queues, const HostPlace &place, const Operand &output, const Piece &piece,
                     const char *own) const {
    char *host = hostPlace(place, output, piece);
    return forEachCopy(place, output, piece, [&](int64_t whole, int64_t part, const Rectangle &rectangle) {
      return queues.copyOut(host + whole, own + part, rectangle);
    });
  }

  /// Calls `copy` with the rectangles of a piece that there are in host memory.
  template <typename Copy>
  idc_status forEachCopy(const HostPlace &place, const Operand &operand, const Piece &piece, Copy copy) const {
    const int64_t all = hostBytes(place, operand), own = operand.bytesPerProblem();
    if (!operand.deviceDigits.empty())
      return forEachRectangle(operand, piece.chunk, [&](int64_t whole, int64_t part, const Rectangle &rectangle) {
        return copyBefore(all, whole, part, rectangle, copy);
      });
    if (all >= own)
      return copy(0, 0, Rectangle{piece.problems * own, 1, 0});
    for (int64_t problem = 0; problem < piece.problems; ++problem)
      if (idc_status status = copy(problem * all, problem * own, Rectangle{all, 1, 0}))
        return status;
    return IDC_SUCCESS;
  }

  /// Copies what a rectangle has before byte `end` of the whole.
  template <typename Copy>
  static idc_status copyBefore(int64_t end, int64_t whole, int64_t part, Rectangle rectangle, Copy copy) {
    const auto [width, rows, pitch] = rectangle;
    const int64_t left = end - whole - width; // behind the first row
    rectangle.rows = left < 0 ? 0 : rows == 1 ? 1 : std::min(left / pitch + 1, rows);
    if (rectangle.rows > 0)
      if (idc_status status = copy(whole, part, rectangle))
        return status;
    whole += rectangle.rows * pitch;
    if (rectangle.rows == rows || whole >= end)
      return IDC_SUCCESS;
    return copy(whole, part + rectangle.rows * width, Rectangle{std::min(width, end - whole), 1, 0});
  }

  const Manifest &manifest;
  const std::vector<ChunkDevice> &devices;
  const CpuChunks *cpu;
  const int64_t batch;
  const idc_host_call &call;
  int64_t all = 0, done = 0, reported = 0;
};

} // namespace

int64_t idc::runtime::deviceBytes(const Manifest &manifest) {
  int64_t bytes = 0;
  for (const Pass &pass : manifest.passes)
    bytes = std::max(bytes, Places(pass, 1).bytes);
  return bytes;
}

idc_status idc::runtime::runPasses(const Manifest &manifest, const std::vector<ChunkDevice> &devices,
                                   const CpuChunks *cpu, int64_t batch, const idc_host_call &call) {
  return Run(manifest, devices, cpu, batch, call)();
}
