#include "compiler/emulator/Memory.h"

using namespace idc::emulator;

void RaceDetector::keep(Cell &cell, const Access &reader) {
  Access &a = cell.readers[0], &b = cell.readers[1];
  // Who waited for the first of the earlier grids waited for all of them.
  auto keepEarlier = [&](const Access &other) {
    if (!cell.earlierReader.exists() || other.grid < cell.earlierReader.grid)
      cell.earlierReader = other;
  };
  if (a.exists() && reader.grid < a.grid)
    return keepEarlier(reader);
  if (a.exists() && reader.grid > a.grid) {
    keepEarlier(a);
    a = b = Access();
  }
  if (!a.exists() || a.sameThread(reader)) {
    a = reader;
  } else if (!b.exists() || b.sameThread(reader)) {
    b = reader;
  } else if (a.block != b.block) {
    // Any write races with one of them already.
  } else if (reader.block != a.block || a.blockEpoch != reader.blockEpoch) {
    a = reader;
  } else if (b.blockEpoch != reader.blockEpoch) {
    b = reader;
  } else if (a.thread / 32 != b.thread / 32) {
    // Any write of this epoch races with one of them.
  } else if (reader.thread / 32 != a.thread / 32 || a.warpEpoch != reader.warpEpoch) {
    a = reader;
  } else if (b.warpEpoch != reader.warpEpoch) {
    b = reader;
  }
}

const Access *RaceDetector::read(int64_t offset, int64_t bytes, const Access &access, Ordered ordered) {
  const Access *race = nullptr;
  for (int64_t cell = offset / granule; cell < (offset + bytes) / granule; ++cell) {
    Cell &c = cells[static_cast<size_t>(cell)];
    if (!race && c.writer.exists() && !ordered(c.writer)) {
      found = c.writer;
      race = &found;
    }
    keep(c, access);
  }
  return race;
}

const Access *RaceDetector::write(int64_t offset, int64_t bytes, const Access &access, Ordered ordered) {
  const Access *race = nullptr;
  for (int64_t cell = offset / granule; cell < (offset + bytes) / granule; ++cell) {
    Cell &c = cells[static_cast<size_t>(cell)];
    bool afterReader = false; // and thereby after the write that it read
    for (const Access *earlier : {&c.readers[0], &c.readers[1], &c.earlierReader, &c.writer}) {
      if (!earlier->exists() || (earlier == &c.writer && afterReader))
        continue;
      bool isOrdered = ordered(*earlier);
      afterReader |= isOrdered;
      if (!race && !isOrdered) {
        found = *earlier;
        race = &found;
      }
    }
    c.writer = access;
    c.readers[0] = c.readers[1] = c.earlierReader = Access();
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
