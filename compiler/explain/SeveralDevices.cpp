#include "compiler/explain/SeveralDevices.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace idc;
using namespace idc::explain;

/// Seconds of a kernel on one device, as a copy of what it moves.
static double secondsOf(const Kernel &kernel, const Facts &facts, const passes::DeviceLink &link) {
  return kernel.predicted * static_cast<double>(facts.leastBytes) / link.copyBytesPerSecond;
}

llvm::Expected<std::optional<SeveralDevices>> explain::predictDevices(codegen::CompileRequest request,
                                                                      const Facts &facts, const passes::Target &target,
                                                                      llvm::raw_ostream &errors) {
  if (facts.devices == 1 || !target.link)
    return std::nullopt;
  const passes::DeviceLink &link = *target.link;
  SeveralDevices several;
  several.devices = facts.devices;
  several.meetings = facts.meetings;
  const auto devices = static_cast<double>(facts.devices);
  double leaving = 0, betweenHosts = 0;
  for (const Kernel &kernel : facts.kernels) {
    double onLinks = 0;
    for (const Event &event : kernel.events)
      if (const auto *access = std::get_if<Access>(&event)) {
        const double bytes = static_cast<double>(access->bytes) / devices;
        leaving += bytes * access->crossing.devices;
        betweenHosts += bytes * access->crossing.hosts;
        onLinks += conversion::secondsOnLinks(access->crossing, bytes, access->runBytes, link);
      }
    several.linkSeconds += onLinks;
    several.seconds += std::max(onLinks, secondsOf(kernel, facts, link) / (kernel.isDivided ? devices : 1));
  }
  several.leavingBytes = std::llround(leaving);
  several.betweenHosts = std::llround(betweenHosts);
  const double meeting = static_cast<double>(several.meetings) * link.meetingSeconds;
  several.linkSeconds += meeting;
  several.seconds += meeting;

  request.devices = 1;
  request.distributions.clear();
  request.scheduleFile.clear(); // it is for several
  request.candidate = 0;
  codegen::Compiler one(std::move(request));
  llvm::Expected<Facts> alone = gather(one, errors, Assembler::Unused);
  if (!alone)
    return alone.takeError();
  for (const Kernel &kernel : alone->kernels)
    several.oneSeconds += secondsOf(kernel, *alone, link);
  return several;
}

static std::string spellTime(double seconds) {
  return (seconds < 1e-3 ? llvm::formatv("{0:f1} us", seconds * 1e6) : llvm::formatv("{0:f2} ms", seconds * 1e3)).str();
}

std::string SeveralDevices::links() const {
  std::string text =
      llvm::formatv("{0}, which meet {1} times; {2} bytes leave each for others", devices, meetings, leavingBytes)
          .str();
  return betweenHosts ? text + llvm::formatv(", {0} of them for other hosts", betweenHosts).str() : text;
}

std::string SeveralDevices::times() const {
  return "at least " + spellTime(seconds) + " for a problem, " + spellTime(linkSeconds) +
         " of it on the links and in meetings; on one device " + spellTime(oneSeconds);
}
