// Plays the extensions of directories and prints what each of them drew as JSON: `node corpus-run.mjs DIRECTORY…`. A process of its
// own, because extensions leave timers behind. With OMP_JS_ORIGINAL=1, they draw with the original interface library.

import path from "node:path";
import { register } from "node:module";

register("./typescript.mjs", import.meta.url);
const { extensions, run } = await import("./corpus.mjs");

// The same drawings on every run.
Math.random = () => 0.4;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length > 0 ? args : [0]));
  }

  static now() {
    return 0;
  }
};
// Waiting is no part of what is compared, and nothing moves by itself.
const { setTimeout: soon } = globalThis;
globalThis.setTimeout = (work, _, ...args) => soon(work, 0, ...args);
globalThis.setInterval = () => 0;
console.error = () => {};
console.log = () => {};
for (const event of ["unhandledRejection", "uncaughtException"]) process.on(event, () => {});

const table = [];
for (const folder of process.argv.slice(2)) {
  for (const file of extensions(folder)) {
    const report = await run(file, { isHook: path.basename(folder) === "hooks" });
    table.push({ name: path.relative(folder, file), ...report });
  }
}
process.stdout.write(`${JSON.stringify(table)}\n`, () => process.exit(0));
