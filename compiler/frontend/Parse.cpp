// Loading of source files: a file, what it imports, each once.
#include "compiler/frontend/Parse.h"

#include "compiler/frontend/Reader.h"
#include "compiler/frontend/SourceText.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <map>
#include <set>

namespace idc::frontend {

namespace {

/// Reads a file and its imports, each once.
class Loader {
public:
  /// With `unsaved`, programs may be unfinished.
  Loader(const std::vector<std::string> &folders, Diagnostics &diagnostics, const UnsavedTexts *unsaved = nullptr)
      : folders(folders), diagnostics(diagnostics), isUnfinished(unsaved), source(std::make_unique<Source>()) {
    for (const auto &[path, text] : unsaved ? *unsaved : UnsavedTexts())
      unsavedTexts[identity(path)] = text;
  }

  std::unique_ptr<Source> load(const std::string &path) {
    auto buffer = read(path);
    if (!buffer) {
      diagnostics.error(llvm::SMLoc(), "cannot read '" + path + "': " + llvm::toString(buffer.takeError()));
      return nullptr;
    }
    return load(std::move(*buffer), path);
  }

  std::unique_ptr<Source> load(std::unique_ptr<llvm::MemoryBuffer> buffer, const std::string &path) {
    add(std::move(buffer), path);
    for (size_t i = 0; i < source->files.size(); ++i) // grows while imports are found
      for (Import &import : source->files[i]->imports)
        import.file = resolve(import, *source->files[i]);
    source->folders = folders;
    return failed && !isUnfinished ? nullptr : std::move(source);
  }

private:
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read(const std::string &path) {
    auto text = unsavedTexts.find(identity(path));
    if (text != unsavedTexts.end())
      return llvm::MemoryBuffer::getMemBufferCopy(text->second, path);
    return readSource(path);
  }

  const SourceFile *add(std::unique_ptr<llvm::MemoryBuffer> buffer, const std::string &path) {
    source->files.push_back(std::make_unique<SourceFile>());
    SourceFile &file = *source->files.back();
    file.path = path;
    loaded[identity(path)] = &file;
    if (!isProgram(*buffer, path)) {
      failed = true;
      return &file;
    }
    unsigned id = diagnostics.sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    Reader reader(id, diagnostics);
    bool good = reader.lex() && reader.parse([&](IdParser &parser, AstBuilder &builder, auto clean) {
      IdParser::ProgramContext *program = parser.program();
      if (clean() || isUnfinished)
        builder.build(program, file);
    });
    failed |= !good;
    return &file;
  }

  /// A file of another kind may hold what is nobody's business, which a message would quote: one whose name does not
  /// end in .id, links followed, is shown only when it has no syntax errors.
  bool isProgram(const llvm::MemoryBuffer &buffer, const std::string &path) {
    llvm::SmallString<128> real;
    if (llvm::sys::fs::real_path(path, real) || llvm::sys::path::extension(real) == ".id")
      return true;
    Diagnostics hidden;
    unsigned id = hidden.sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(buffer.getBuffer(), path), {});
    Reader reader(id, hidden);
    if (reader.lex() && reader.parse([](IdParser &parser, AstBuilder &, auto) { parser.program(); }))
      return true;
    Diagnostics::Message first = hidden.messages().front();
    diagnostics.error(llvm::SMLoc(), "'" + path + "' is no program: there is a syntax error at " +
                                         std::to_string(first.line) + ":" + std::to_string(first.column) +
                                         ", and its name does not end in .id");
    return false;
  }

  const SourceFile *resolve(const Import &import, const SourceFile &importer) {
    std::vector<std::string> places = {std::string(llvm::sys::path::parent_path(importer.path))};
    places.insert(places.end(), folders.begin(), folders.end());
    bool itself = false;
    for (const std::string &folder : places) {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, import.path);
      auto known = loaded.find(identity(path.str().str()));
      if (known != loaded.end() && known->second == &importer) { // a file may have the name of one of the library
        itself = true;
        continue;
      }
      if (known != loaded.end())
        return known->second;
      const bool isThere = llvm::sys::fs::exists(path) || unsavedTexts.count(path.str().str());
      if (!isThere || llvm::sys::fs::is_directory(path)) {
        source->absent.push_back(path.str().str());
        continue;
      }
      auto buffer = read(path.str().str());
      if (buffer)
        return add(std::move(*buffer), path.str().str());
      failed = true;
      diagnostics.error(import.range.Start,
                        "cannot import '" + import.path + "': " + llvm::toString(buffer.takeError()), import.range);
      return nullptr;
    }
    failed = true;
    diagnostics.error(import.range.Start,
                      "cannot find '" + import.path + "' in this file's folder or the standard library" +
                          (itself ? ", but for this file itself" : ""),
                      import.range);
    return nullptr;
  }

  /// The file that a path leads to, by whichever of its names.
  static std::string identity(const std::string &path) {
    llvm::sys::fs::UniqueID id;
    return llvm::sys::fs::getUniqueID(path, id) ? path
                                                : std::to_string(id.getDevice()) + ":" + std::to_string(id.getFile());
  }

  const std::vector<std::string> &folders;
  Diagnostics &diagnostics;
  bool isUnfinished;
  std::map<std::string, std::string> unsavedTexts; // by identity
  std::unique_ptr<Source> source;
  std::map<std::string, const SourceFile *> loaded;
  bool failed = false;
};

} // namespace

std::vector<LibraryFunction> libraryFunctions(const std::vector<std::string> &folders) {
  static const llvm::Regex declaration("^(func|node|algorithm) +([A-Za-z_][A-Za-z_0-9]*) *[<(]");
  std::vector<LibraryFunction> found;
  for (const std::string &folder : folders) {
    std::set<std::string> names; // in one order on all machines
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (llvm::sys::path::extension(entry->path()) == ".id")
        names.insert(llvm::sys::path::filename(entry->path()).str());
    for (const std::string &name : names) {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, name);
      auto buffer = readSource(path);
      if (!buffer) {
        llvm::consumeError(buffer.takeError());
        continue;
      }
      llvm::SmallVector<llvm::StringRef> lines, parts;
      (*buffer)->getBuffer().split(lines, '\n');
      for (llvm::StringRef line : lines)
        if (declaration.match(line, &parts))
          found.push_back({parts[2].str(), parts[1].str(), line.rtrim(" {\r").str(), name});
    }
  }
  return found;
}

std::vector<std::string> importsDeclaring(const std::string &function, const std::vector<std::string> &folders) {
  std::vector<std::string> imports;
  for (const LibraryFunction &known : libraryFunctions(folders))
    if (known.name == function && !llvm::is_contained(imports, known.import))
      imports.push_back(known.import);
  return imports;
}

std::vector<std::string> keywords() {
  IdLexer lexer(nullptr);
  const antlr4::dfa::Vocabulary &vocabulary = lexer.getVocabulary();
  std::vector<std::string> words;
  for (size_t token = 0; token <= vocabulary.getMaxTokenType(); ++token)
    if (const std::string literal = vocabulary.getLiteralName(token); literal.size() > 3 && llvm::isAlpha(literal[1]))
      words.push_back(llvm::StringRef(literal).trim('\'').str());
  return words;
}

std::unique_ptr<Source> parseFile(const std::string &path, const std::vector<std::string> &folders,
                                  Diagnostics &diagnostics) {
  return Loader(folders, diagnostics).load(path);
}

std::unique_ptr<Source> parseUnfinished(const std::string &path, const std::vector<std::string> &folders,
                                        const UnsavedTexts &unsaved, Diagnostics &diagnostics) {
  return Loader(folders, diagnostics, &unsaved).load(path);
}

std::unique_ptr<Source> parseText(const std::string &text, const std::string &name,
                                  const std::vector<std::string> &folders, Diagnostics &diagnostics) {
  return Loader(folders, diagnostics).load(llvm::MemoryBuffer::getMemBufferCopy(text, name), name);
}

/// What `read` makes of the tree of a text that is no file.
template <typename Result, typename Read>
static Result parsePart(const std::string &text, const std::string &name, Diagnostics &diagnostics, Read read) {
  unsigned id = diagnostics.sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  Reader reader(id, diagnostics);
  Result result;
  bool good = reader.lex() && reader.parse([&](IdParser &parser, AstBuilder &builder, auto clean) {
    result = read(parser, builder, clean);
  });
  return good ? std::move(result) : nullptr;
}

TypeExprPtr parseType(const std::string &text, const std::string &name, Diagnostics &diagnostics) {
  return parsePart<TypeExprPtr>(text, name, diagnostics, [](IdParser &parser, AstBuilder &builder, auto clean) {
    IdParser::TypeOnlyContext *type = parser.typeOnly();
    return clean() ? builder.type(type->type()) : nullptr;
  });
}

ExprPtr parseExpression(const std::string &text, const std::string &name, Diagnostics &diagnostics) {
  return parsePart<ExprPtr>(text, name, diagnostics, [](IdParser &parser, AstBuilder &builder, auto clean) {
    IdParser::ExpressionOnlyContext *expression = parser.expressionOnly();
    return clean() ? builder.expr(expression->expr()) : nullptr;
  });
}

ExprPtr parseFunction(const std::string &text, const std::string &name, Diagnostics &diagnostics) {
  return parsePart<ExprPtr>(text, name, diagnostics, [](IdParser &parser, AstBuilder &builder, auto clean) {
    IdParser::FunctionOnlyContext *function = parser.functionOnly();
    return clean() ? builder.functionName(function->name(), function->settings()) : nullptr;
  });
}

} // namespace idc::frontend
