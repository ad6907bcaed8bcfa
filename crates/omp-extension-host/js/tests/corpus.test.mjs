// Extensions of pi and oh-my-pi against these modules: what they show is drawn without an error.

import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { execFile } from "node:child_process";
import { cached, why } from "./cache.mjs";

const pi = cached("pi", "examples");
const omp = cached("oh-my-pi", "examples");

// These need what is no part of these modules: packages of others, a shell, a file to watch, the built-in tools.
const OUTSIDE = new Set([
  "built-in-tool-renderer.ts", "custom-provider-anthropic/index.ts", "gondolin/index.ts", "file-trigger.ts", "with-deps/index.ts", "chalk-logger.ts",
]);

// What each of them shows, and at least how many lines that is.
const SHOWN = {
  "border-status-editor.ts": 40, "custom-footer.ts": 10, "custom-header.ts": 100, "debug-provider.ts": 10, "entry-renderer.ts": 10, "handoff.ts": 90,
  "message-renderer.ts": 8, "minimal-mode.ts": 60, "modal-editor.ts": 40, "overlay-qa-tests.ts": 1_000, "overlay-test.ts": 300, "qna.ts": 150,
  "question.ts": 150, "questionnaire.ts": 150, "rainbow-editor.ts": 40, "rpc-demo.ts": 5, "snake.ts": 500, "space-invaders.ts": 700,
  "tic-tac-toe.ts": 500, "todo.ts": 150, "tools.ts": 150, "truncated-tool.ts": 5, "widget-placement.ts": 5,
};

const folders = pi && omp && [path.join(pi, "extensions"), path.join(omp, "extensions"), path.join(omp, "hooks")];
const skip = why(folders && cached("node_modules/esbuild"));

function played(original) {
  const here = import.meta.dirname;
  const args = ["--import", path.join(here, "register.mjs"), path.join(here, "corpus-run.mjs"), ...folders];
  const options = { env: { ...process.env, OMP_JS_ORIGINAL: original ? "1" : "0" }, maxBuffer: 256 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (error, output) => (error ? reject(error) : resolve(JSON.parse(output))));
  });
}

test("extensions show what they have to show, as with the original", { skip }, async () => {
  const [table, theirs] = await Promise.all([played(false), played(true)]);
  const failed = table.filter(({ name, errors }) => errors.length > 0 && !OUTSIDE.has(name));
  assert.deepEqual(failed.map(({ name, errors }) => [name, ...errors]), []);
  for (const [name, lines] of Object.entries(SHOWN)) {
    const drawn = Math.max(...table.filter((row) => row.name === name).map((row) => row.lines));
    assert.ok(drawn >= lines, `${name}: ${drawn} lines`);
  }
  // Sentences are ours.
  const neutral = (drawn) => drawn.map((lines) => lines.map((line) => (/^ *Enter\/Space/.test(line) ? "(hint)" : line)));
  let compared = 0;
  table.forEach((row, at) => {
    assert.deepEqual(neutral(row.drawn), neutral(theirs[at].drawn), row.name);
    compared += row.drawn.length;
  });
  assert.ok(compared > 1_000, `only ${compared} drawings were compared`);
  for (const { name, shown, lines, drawn, wide } of table.filter((row) => row.shown.length > 0)) {
    const parts = [[...new Set(shown)].join(", "), `${drawn.length} drawings`, `${lines} lines`, ...(wide.length > 0 ? [`${wide.length} wider than asked`] : [])];
    console.log(`${name}: ${parts.join("; ")}`);
  }
});
