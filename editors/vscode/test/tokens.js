// Colours every program of a folder as an editor does: tokens.js FOLDER. Fails when a word of the language, a
// declaration, a comment, a string or a number is not coloured as such, or a file ends within a comment.
"use strict";

const fs = require("fs");
const path = require("path");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const here = path.join(__dirname, "..");

// What a token must have, by what stands there. Words that schedules alone use are names elsewhere.
const rules = [
  [/^(import|for|in|downto|if|else|return|require)$/, "keyword.control"],
  [/^let$/, "storage.type"],
  [/^(bool|[iu](8|16|32|64)|f(16|32|64)|bf16|complex|mod)$/, "support.type"],
  [/^(true|false)$/, "constant.language"],
  [/^[0-9]+(\.[0-9]+)?$/, "constant.numeric"],
  [/^\|>$/, "keyword.operator.pipe"],
  [/^->$/, "storage.type.function.arrow"],
];

/// Comments and strings of a text, as [from, to, scope), found without the grammar.
function* quoted(text) {
  const parts = /\/\/\/[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/|"[^"\n]*"/g;
  for (const part of text.matchAll(parts))
    yield [part.index, part.index + part[0].length, part[0][0] === '"' ? "string.quoted" : "comment."];
}

async function main(folder) {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) =>
      scope === "source.id"
        ? textmate.parseRawGrammar(fs.readFileSync(path.join(here, "syntaxes/id.tmLanguage.json"), "utf8"), "id.json")
        : null,
  });
  const grammar = await registry.loadGrammar("source.id");
  const wrong = [];
  let files = 0, tokens = 0;
  for (const name of fs.readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".id")).sort()) {
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    const scopes = new Array(text.length).fill("");
    let stack = textmate.INITIAL, begin = 0;
    for (const line of text.split("\n")) {
      const result = grammar.tokenizeLine(line, stack);
      stack = result.ruleStack;
      for (const token of result.tokens)
        scopes.fill(token.scopes.join(" "), begin + token.startIndex, begin + Math.min(token.endIndex, line.length));
      begin += line.length + 1;
    }
    files += 1;
    const complain = (at, message) =>
      wrong.push(`${name}:${text.slice(0, at).split("\n").length}: ${message}, has '${scopes[at]}'`);
    if (stack.depth > 1) wrong.push(`${name}: ends within '${stack.contentNameScopesList}'`);
    const isQuoted = new Array(text.length).fill(false);
    for (const [from, to, scope] of quoted(text)) {
      isQuoted.fill(true, from, to);
      for (let at = from; at < to; ++at)
        if (text[at] !== "\n" && !scopes[at].includes(scope)) { complain(at, `'${text[at]}' is of a ${scope}`); break; }
    }
    let before = "", end = 0;
    for (const word of text.matchAll(/[A-Za-z_]\w*|\d+\.\d+|\d+|\|>|->/g)) {
      if (isQuoted[word.index]) continue;
      tokens += 1;
      if (/comment\.|string\./.test(scopes[word.index])) complain(word.index, `'${word[0]}' is no comment`);
      for (const [pattern, scope] of rules)
        if (pattern.test(word[0]) && !/\w/.test(text[word.index - 1] || "") && !scopes[word.index].includes(scope))
          complain(word.index, `'${word[0]}' is ${scope}`);
      // The step of a loop stands between two numbers; elsewhere `by` is a name.
      const isStep = /^by\s+(?!in\b|downto\b)[\w(]/.test(text.slice(word.index));
      if (word[0] === "by" && scopes[word.index].includes("keyword") !== isStep)
        complain(word.index, `'by' is ${isStep ? "a keyword" : "a name"}`);
      const follows = text.slice(end, word.index).trim() === "";
      if (follows && /^(func|node|algorithm)$/.test(before) && !scopes[word.index].includes("entity.name.function"))
        complain(word.index, `'${word[0]}' is declared`);
      before = word[0];
      end = word.index + before.length;
    }
  }
  for (const line of wrong) console.error(line);
  console.log(`${files} programs, ${tokens} tokens, ${wrong.length} wrong`);
  process.exit(wrong.length ? 1 : 0);
}

main(process.argv[2]);
