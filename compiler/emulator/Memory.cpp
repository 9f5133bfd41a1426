#include "compiler/emulator/Memory.h"

#include "llvm/ADT/STLExtras.h"

using namespace idc::emulator;

/// What comes after one of these and is in another block comes after all of them.
bool RaceDetector::Readers::takes(const Access &reader) const {
  return first.block == reader.block && first.blockEpoch == reader.blockEpoch && first.arrivals == reader.arrivals &&
         first.performed == reader.performed && first.atomic == reader.atomic && first.scope == reader.scope;
}

void RaceDetector::Readers::add(const Access &reader) {
  if (!first.exists() || first.sameThread(reader)) {
    first = reader;
  } else if (!second.exists() || second.sameThread(reader)) {
    second = reader;
  } else if (first.thread / 32 != second.thread / 32) {
    // Any write of the block before its next barrier races with one of them.
  } else if (reader.thread / 32 != first.thread / 32 || first.warpEpoch != reader.warpEpoch) {
    first = reader;
  } else if (second.warpEpoch != reader.warpEpoch) {
    second = reader;
  }
}

void RaceDetector::forgetReaders(Cell &cell) {
  cell.readers = Readers();
  cell.others.reset();
}

void RaceDetector::keep(Cell &cell, const Access &reader, Ordered ordered) {
  Access &any = cell.readers.first;
  if (any.exists() && reader.device != any.device) {
    if (!cell.elsewhere)
      cell.elsewhere = std::make_unique<std::map<uint32_t, Access>>();
    (*cell.elsewhere)[reader.device] = reader;
    return;
  }
  // Who waited for the first of the earlier grids waited for all of them.
  auto keepEarlier = [&](const Access &other) {
    if (!cell.earlierReader.exists() || other.grid < cell.earlierReader.grid)
      cell.earlierReader = other;
  };
  if (any.exists() && reader.grid < any.grid)
    return keepEarlier(reader);
  if (any.exists() && reader.grid > any.grid) {
    keepEarlier(any);
    forgetReaders(cell);
  }
  if (!any.exists() || cell.readers.takes(reader))
    return cell.readers.add(reader);
  // Atomic accesses are no race, which is not an order: of those only the block's barriers are one.
  auto isPast = [&](const Access &earlier) {
    return (earlier.performed || !reader.performed) &&
           (reader.atomic ? earlier.atomic && earlier.scope == reader.scope && earlier.block == reader.block &&
                                earlier.blockEpoch != reader.blockEpoch
                          : ordered(earlier));
  };
  auto arePast = [&](const Readers &group) {
    return isPast(group.first) && (!group.second.exists() || isPast(group.second));
  };
  if (cell.others) {
    for (Readers &group : *cell.others)
      if (group.takes(reader))
        return group.add(reader);
    llvm::erase_if(*cell.others, arePast);
  }
  Readers group;
  group.add(reader);
  if (arePast(cell.readers)) {
    cell.readers = group;
    return;
  }
  if (!cell.others)
    cell.others = std::make_unique<std::vector<Readers>>();
  cell.others->push_back(group);
}

const Access *RaceDetector::read(int64_t offset, int64_t bytes, const Access &access, Ordered ordered) {
  const Access *race = nullptr;
  for (int64_t cell = offset / granule; cell < (offset + bytes) / granule; ++cell) {
    Cell &c = cells[static_cast<size_t>(cell)];
    if (!race && c.writer.exists() && !ordered(c.writer)) {
      found = c.writer;
      race = &found;
    }
    keep(c, access, ordered);
  }
  return race;
}

const Access *RaceDetector::write(int64_t offset, int64_t bytes, const Access &access, Ordered ordered) {
  const Access *race = nullptr;
  for (int64_t cell = offset / granule; cell < (offset + bytes) / granule; ++cell) {
    Cell &c = cells[static_cast<size_t>(cell)];
    bool afterReader = false; // and thereby after the write that it read
    auto compare = [&](const Access &earlier) {
      if (!earlier.exists())
        return false;
      bool isOrdered = ordered(earlier);
      if (!race && !isOrdered) {
        found = earlier;
        race = &found;
      }
      return isOrdered && !access.atomic;
    };
    auto compareGroup = [&](const Readers &group) {
      bool afterFirst = compare(group.first), afterSecond = compare(group.second);
      afterReader |= afterFirst || afterSecond;
    };
    compareGroup(c.readers);
    if (c.others)
      llvm::for_each(*c.others, compareGroup);
    afterReader |= compare(c.earlierReader);
    if (c.elsewhere)
      for (const auto &[device, reader] : *c.elsewhere)
        afterReader |= compare(reader);
    c.elsewhere.reset();
    if (!afterReader)
      compare(c.writer);
    c.writer = access;
    c.earlierReader = Access();
    if (c.readers.first.exists())
      forgetReaders(c);
  }
  return race;
}

void RaceDetector::perform(int64_t offset, int64_t bytes) {
  for (int64_t cell = offset / granule; cell < (offset + bytes) / granule; ++cell)
    cells[static_cast<size_t>(cell)].writer.performed = true;
}

bool RaceDetector::written(int64_t offset, int64_t bytes) const {
  for (int64_t cell = offset / granule; cell < (offset + bytes) / granule; ++cell)
    if (!cells[static_cast<size_t>(cell)].writer.exists())
      return false;
  return true;
}
