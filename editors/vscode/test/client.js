// Starts and stops the extension beside an editor that is not there: client.js [IDC]. The server has to be started and
// ended; without IDC, a command that does not exist, there has to be a message that names the setting.
"use strict";

const Module = require("module");

const command = process.argv[2] || "idc-that-is-not-there";
const messages = [];

/// Whatever is asked of the editor is a function that returns such an object again, but for what `own` has.
function pretend(own = {}) {
  return new Proxy(function () {}, {
    get: (target, key) => {
      if (key === "then" || typeof key === "symbol") return undefined; // neither a promise nor a list
      if (!(key in own)) own[key] = pretend();
      return own[key];
    },
    apply: () => pretend(),
    construct: () => pretend(),
  });
}

class EventEmitter {
  listeners = [];
  event = (listener) => {
    this.listeners.push(listener);
    return { dispose() {} };
  };
  fire(value) {
    for (const listener of this.listeners) listener(value);
  }
  dispose() {}
}

const editor = pretend({
  EventEmitter,
  version: "1.82.0",
  workspace: pretend({
    getConfiguration: () => ({ get: (name) => (name === "path" ? command : []), has: () => false }),
    workspaceFolders: undefined,
    textDocuments: [],
    notebookDocuments: [],
  }),
  window: pretend({
    showErrorMessage: (message) => void messages.push(message),
    visibleTextEditors: [],
    createOutputChannel: () => ({ append() {}, appendLine() {}, show() {}, dispose() {} }),
  }),
});

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? editor : load(name, ...rest));

async function main() {
  const extension = require("../dist/extension.js");
  await extension.activate({ subscriptions: [] });
  await extension.deactivate();
  const told = messages.some((message) => message.includes("The setting idc.path says where idc is."));
  const good = process.argv[2] ? messages.length === 0 : told;
  console.log(good ? "the client is right" : `the client is wrong: ${messages}`);
  process.exit(good ? 0 : 1);
}

main();
