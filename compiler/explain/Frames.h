// What a player of a page (Player.h) shows, frame by frame: a title, a note, and tables.
#pragma once

#include "compiler/explain/Facts.h"

#include <string>
#include <vector>

namespace idc::explain {

/// What a cell holds; empty where there is nothing.
struct Cell {
  std::string text;
  std::string value = {};  // of the element that `text` names
  bool isAccessed = false; // by the access that the frame is about
};

struct Row {
  std::string label;
  std::vector<Cell> cells;
};

struct Table {
  std::string caption;
  std::vector<std::string> columns; // the labels' own first
  std::vector<Row> rows;
};

struct Frame {
  std::string title, note;
  std::vector<Table> tables;
};

/// The inputs, then what every step of the program gives, for numberedInputs. None where a sequence has more than
/// 64 elements or the program cannot be evaluated.
std::vector<Frame> valueFrames(const Facts &facts);

/// Where the elements are before and after every load, exchange, group of steps and store of kernel `number`: in global
/// memory, in the words of shared memory, in the registers of the first threads of the first blocks that work together;
/// with their values, where these were observed. None where threads hold more than 64 elements.
std::vector<Frame> kernelFrames(const Facts &facts, size_t number);

} // namespace idc::explain
