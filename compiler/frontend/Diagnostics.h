// Diagnostics of the front end: errors and notes with a place in the source, several per run.
#pragma once

#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace idc::frontend {

/// Owns the source buffers and collects what is wrong with them. Nothing is printed until print() is called.
class Diagnostics {
public:
  /// The buffers; a location is a pointer into one of them.
  llvm::SourceMgr sources;

  /// Records an error; an invalid location gives a message without file and caret. The same message at the same place
  /// is recorded once. Text and lines are shortened, and what could steer a terminal is written out. Beyond a hundred,
  /// errors are counted only.
  void error(llvm::SMLoc location, const std::string &message, llvm::SMRange range = {});
  /// Records a note that belongs to the latest error.
  void note(llvm::SMLoc location, const std::string &message);

  /// Lets what owns buffers of others among `sources` live as long.
  void keep(std::shared_ptr<const void> owner) { owners.push_back(std::move(owner)); }

  unsigned errors() const { return errorCount; }

  /// A recorded error or note. Lines and columns (bytes) count from 1; `file` is empty and the numbers are 0 when the
  /// message has no place. The marked text ends before endLine:endColumn.
  struct Message {
    bool isNote = false;
    std::string text, file;
    unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
    llvm::SMRange marked; // the same in the buffer
    std::string rendered; // as print() has it
  };
  /// Every message in the order recorded, for tools that show them in their own way.
  std::vector<Message> messages() const;
  /// Every message as "file:line:column: error: text", the source line and a caret, in the order recorded.
  void print(llvm::raw_ostream &os) const;
  /// print() into a string.
  std::string str() const;

private:
  struct Entry {
    llvm::SMLoc location;
    llvm::SMRange range;
    bool isNote;
    std::string message;
  };
  bool full() const { return errorCount > maxErrors; }
  std::string moreErrors() const;
  void print(const Entry &entry, llvm::raw_ostream &os) const;

  static constexpr unsigned maxErrors = 100;
  std::vector<std::shared_ptr<const void>> owners;
  std::vector<Entry> entries;
  std::set<std::pair<const char *, std::string>> seen;
  unsigned errorCount = 0;
  bool dropNotes = false; // the latest error was a repetition, or is not shown
};

} // namespace idc::frontend
