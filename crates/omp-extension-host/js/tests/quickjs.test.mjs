// The modules in the engine that omp has, compiled for WebAssembly: no Node, no DOM, no Intl.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { createRequire } from "node:module";
import { cached, load, why } from "./cache.mjs";

const js = path.join(import.meta.dirname, "..");
const zod = path.join(js, "../../../third-party/zod");
const engine = cached("node_modules/quickjs-wasi/quickjs.wasm");

const HOST = `
  export function callNow(operation, { text, code } = {}) {
    if (operation === "tui.width") return [...text].length * 2;
    if (operation === "tui.graphemes") return [...text];
    if (operation === "tui.highlight") return code.split("\\n");
    return operation === "ui.theme" ? { name: "q", fg: { accent: "\\x1b[35m" }, bg: {}, symbols: {} } : {};
  }
  export const call = async (...args) => callNow(...args);
`;

/** All modules as one script, with a part of the engine that omp provides. */
async function bundle(entry) {
  const { build } = createRequire(cached("node_modules/esbuild/package.json"))("esbuild");
  const modules = {
    name: "omp",
    setup(build) {
      build.onResolve({ filter: /^omp:|^node:/ }, ({ path: name }) => {
        if (name === "omp:host") return { path: name, namespace: "host" };
        const [, folder, file] = /^omp:(\w+)\/(.+)$/.exec(name) ?? [];
        return folder ? { path: path.join(js, folder, `${file}.js`) } : { path: name, external: true };
      });
      build.onLoad({ filter: /.*/, namespace: "host" }, () => ({ contents: HOST }));
    },
  };
  const stdin = { contents: entry, resolveDir: js };
  const result = await build({ stdin, bundle: true, write: false, format: "iife", target: "es2023", plugins: [modules], logLevel: "error" });
  return `globalThis.setInterval ??= () => 0; globalThis.clearInterval ??= () => {};
    globalThis.AbortController ??= class { signal = { aborted: false }; abort() { this.signal.aborted = true; } };
    ${result.outputFiles[0].text}\nglobalThis.result`;
}

async function evaluated(source) {
  const { QuickJS } = await load(cached("node_modules/quickjs-wasi/dist/index.js"));
  const vm = await QuickJS.create({ wasm: fs.readFileSync(engine) });
  try {
    return vm.evalCode(source).toString();
  } finally {
    vm.dispose();
  }
}

test("everything loads and draws", { skip: why(engine) }, async () => {
  const source = await bundle(`
    import * as tui from "omp:tui/index";
    import * as ui from "omp:ui/index";
    import { Surfaces } from "omp:tui/surfaces";
    import { Type } from "omp:lib/typebox";
    import { Value } from "omp:lib/typebox-value";
    const surfaces = new Surfaces();
    const editor = new ui.CustomEditor(new tui.ExtensionTui("a", surfaces), ui.getEditorTheme(), tui.getKeybindings());
    for (const key of ["日", "x", "\\x1bb", "é", "\\x17"]) editor.handleInput(key);
    surfaces.mount("a", new tui.Markdown("# 日本\\n- **b** [l](u)\\n\\n|a|b|\\n|-|-|\\n|1|2|", 1, 1, ui.getMarkdownTheme()));
    globalThis.result = JSON.stringify([typeof Intl, surfaces.render("a", 30).length, editor.getText(), Value.Check(Type.Integer(), 1),
      tui.matchesKey("\\x1b[97;5u", "ctrl+a"), tui.wrapTextWithAnsi("one two three", 7)]);
  `);
  assert.deepEqual(JSON.parse(await evaluated(source)), ["undefined", 11, "日x", true, true, ["one two", "three"]]);
});

test("zod parses, explains and becomes JSON Schema", { skip: why(engine) }, async () => {
  const source = await bundle(`
    import zodDefault, { z } from "${path.join(zod, "zod.js")}";
    const schema = z.object({ a: z.string().min(2).describe("x"), b: z.number().optional(), c: z.enum(["p", "q"]) });
    const wrong = schema.safeParse({ a: 1, c: "p" });
    globalThis.result = JSON.stringify([zodDefault === z, schema.parse({ a: "hey", c: "p", z: 1 }), wrong.error.issues[0].message, z.toJSONSchema(schema).properties.a]);
  `);
  assert.deepEqual(JSON.parse(await evaluated(source)), [
    true, { a: "hey", c: "p" }, "Invalid input: expected string, received number", { description: "x", minLength: 2, type: "string" },
  ]);
});

test("the copy of zod is the one that was made", () => {
  const text = fs.readFileSync(path.join(zod, "zod.js"));
  const [hash] = fs.readFileSync(path.join(zod, "zod.js.sha256"), "utf8").split(" ");
  assert.equal(createHash("sha256").update(text).digest("hex"), hash);
  assert.ok(text.length <= 120_000, `${text.length} bytes`);
  assert.ok(fs.readFileSync(path.join(zod, "LICENSE"), "utf8").includes("MIT"));
});
