import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";

const js = path.join(import.meta.dirname, "..");
const files = ["tui", "ui", "lib", "tests"].flatMap((folder) => fs.readdirSync(path.join(js, folder)).map((name) => path.join(folder, name)));
const sources = files.filter((file) => file.endsWith(".js")).map((file) => [file, fs.readFileSync(path.join(js, file), "utf8")]);

test("files are short, and say what they are", () => {
  assert.ok(sources.length > 40, "the files are missing");
  for (const [file, text] of sources) {
    assert.ok(text.split("\n").length <= 500, file);
    assert.match(text, /^\/\*\* .*\*\/\n/, `${file} has no first line`);
  }
});

test("modules import each other and the host, nothing else", () => {
  for (const [file, text] of sources) {
    for (const [, name] of text.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)) {
      const [, folder, stem] = /^omp:(\w+)\/([\w-]+)$/.exec(name ?? "") ?? [];
      const isKnown = name === undefined || name === "omp:host" || (folder && fs.existsSync(path.join(js, folder, `${stem}.js`)));
      assert.ok(isKnown, `${file} imports ${name}`);
    }
    assert.ok(!/\bIntl\.\w/.test(text.replace(/\/\*\*.*?\*\//gs, "")), `${file} needs Intl`);
  }
});

test("the interface library knows nothing of the program's interface", () => {
  for (const [file, text] of sources) if (file.startsWith("tui")) assert.ok(!text.includes('"omp:ui/'), file);
});

test("names of packages lead to modules", () => {
  const modules = JSON.parse(fs.readFileSync(path.join(js, "modules.json"), "utf8"));
  for (const [name, target] of Object.entries(modules)) {
    const file = target.startsWith("omp:") ? path.join(js, `${target.slice(4)}.js`) : path.join(js, "../../..", target);
    assert.ok(fs.existsSync(file), `${name}: ${target}`);
  }
});

test("the program has every module", () => {
  const table = fs.readFileSync(path.join(js, "../src/builtins.rs"), "utf8");
  for (const [file] of sources) assert.ok(table.includes(`${file}"`), `${file} is not in src/builtins.rs`);
});
