//! Finding modules, and what those offer that are not there.

use std::sync::Arc;

use omp_script::{BuiltinModule, CodeSeal};
use serde_json::json;

use crate::support::{Bench, call, load};

#[tokio::test]
async fn files_are_found_as_bundlers_of_typescript_find_them() {
    let bench = Bench::new();
    bench.write("ext/a.ts", "export const a = 'a.ts';");
    bench.write("ext/b/index.ts", "export default 'b/index';");
    bench.write("ext/c.tsx", "export const c = 'c.tsx';");
    bench.write("ext/d.json", "{\"d\": 1}");
    bench.write("ext/e.mts", "export const e = 'e.mts';");
    bench.write("ext/f.js", "export const f = 'f.js';");
    bench.write("ext/f.ts", "export const f = 'f.ts';");
    bench.write("ext/notes.md", "# notes");
    bench.write("ext/package.json", r##"{"name": "own", "imports": {"#inner/*": "./inner/*.ts"}, "exports": {".": "./main.ts", "./self": "./a.ts"}}"##);
    bench.write("ext/inner/deep.ts", "export const deep = import.meta.url.endsWith('/inner/deep.ts');");
    bench.write("ext/linked-to.ts", "export const where = import.meta.filename;");
    std::os::unix::fs::symlink(bench.path("ext/linked-to.ts"), bench.path("ext/link.ts")).unwrap();
    let source = r##"
import { a } from "./a.js";
import b from "./b";
import { c } from "./c.jsx";
import d, { d as named } from "./d.json" with { type: "json" };
import plain from "./d.json";
import { e } from "./e.mjs";
import { f } from "./f.js";
import { deep } from "#inner/deep";
import { a as self } from "own/self";
import notes from "./notes.md";
import { where } from "./link";
export const main = async () => {
  const lazy = await import("./a");
  const first = await import("./a?1");
  const full = await import(new URL("./a.ts", import.meta.url).href);
  return [a, b, c, d.d, named, plain.d, e, f, deep, self, notes, where.endsWith("linked-to.ts"), lazy === full, lazy === first, lazy.a];
};
"##;
    let value = bench.run("ext/main.ts", source).await.unwrap();
    let expected = json!([
        "a.ts", "b/index", "c.tsx", 1, 1, 1, "e.mts", "f.js", true, "a.ts", "# notes", true, true, false,
        "a.ts"
    ]);
    assert_eq!(value, expected);
    for (name, specifier) in
        [("x1.ts", "./gone"), ("x2.ts", "not-installed"), ("x3.ts", "#nothing"), ("x4.ts", "own/secret")]
    {
        let source = format!("import {{ x }} from \"{specifier}\";\nexport const main = () => x;\n");
        let error = bench.load(&format!("ext/{name}"), &source).await.map(|_| ()).unwrap_err();
        assert!(error.message.contains("cannot find") && error.message.contains(name), "{error}");
    }
}

#[tokio::test]
async fn packages_are_found_upward_with_their_exports() {
    let bench = Bench::new();
    let package =
        |name: &str, manifest: &str| bench.write(&format!("node_modules/{name}/package.json"), manifest);
    package(
        "both",
        r#"{"exports": {".": {"types": "./x.d.ts", "import": "./m.mjs", "require": "./c.cjs"}, "./sub/*": "./lib/*.js", "./hidden/*": null}}"#,
    );
    bench.write("node_modules/both/m.mjs", "export default 'import';");
    bench.write("node_modules/both/c.cjs", "module.exports = 'require';");
    bench.write("node_modules/both/lib/x.js", "exports.x = 'sub';");
    package("old", r#"{"main": "lib"}"#);
    bench.write(
        "node_modules/old/lib/index.js",
        "module.exports = { name: 'old', require: typeof require, dir: __dirname.endsWith('/lib') };",
    );
    package("esm", r#"{"module": "./m.js", "main": "./c.js", "type": "module"}"#);
    bench.write("node_modules/esm/m.js", "export const kind = 'module';");
    package("@scope/name", r#"{"main": "index.js"}"#);
    bench.write("node_modules/@scope/name/index.js", "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = class Thing {}; exports.other = 2;");
    bench.write("node_modules/@scope/name/deep/file.js", "module.exports = (n) => n * 2;");
    let source = r#"
import both from "both";
import { x } from "both/sub/x";
import old, { name } from "old";
import { kind } from "esm";
import Thing, { other } from "@scope/name";
import double from "@scope/name/deep/file";
import * as star from "old";
import { createRequire } from "node:module";
const own = createRequire(import.meta.url);
export const main = async () => [both, own("both"), require("both"), x, old, name, kind, typeof Thing, other, double(4), Object.keys(star).sort(),
  (await import("old")).default === old, __filename.endsWith("main.ts"), own("esm").kind];
"#;
    let value = bench.run("deep/er/main.ts", source).await.unwrap();
    assert_eq!(
        value,
        json!(["import", "require", "require", "sub", { "name": "old", "require": "function", "dir": true }, "old", "module",
            "function", 2, 8, ["default", "dir", "name", "require"], true, true, "module"])
    );
    let error = bench
        .load("hidden.ts", "import x from 'both/hidden/y';\nexport const main = () => x;\n")
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(error.message.contains("does not offer it"), "{error}");
}

#[tokio::test]
async fn commonjs_modules_may_need_each_other() {
    let bench = Bench::new();
    bench.write("a.cjs", "exports.early = 1; const b = require('./b.cjs'); exports.seen = b.seen; exports.self = this === exports; exports.loose = (function () { return this; })() === globalThis;");
    bench.write(
        "b.cjs",
        "const a = require('./a.cjs'); exports.seen = a.early; exports.json = require('./d.json').k;",
    );
    bench.write("d.json", "{\"k\": \"v\"}");
    let source = "#!/usr/bin/env node\nconst a = require('./a.cjs');\nmodule.exports.main = () => [a, require('./b.cjs'), require('path').basename(__filename)];\n";
    let value = bench.run("main.cjs", source).await.unwrap();
    assert_eq!(
        value,
        json!([{ "early": 1, "seen": 1, "self": true, "loose": true }, { "seen": 1, "json": "v" }, "main.cjs"])
    );
}

fn offered() -> BuiltinModule {
    let source = "import { callNow } from \"omp:host\";\nexport const twice = (n) => callNow(\"double\", n);\nexport class Base {}\nexport default 5;\n";
    BuiltinModule::new(["@first/api", "@second/api", "@third/*"], source)
}

#[tokio::test]
async fn a_builtin_has_several_names_and_is_one_module() {
    let mut bench = Bench::new();
    bench.builtins.push(offered());
    let source = r#"
import { twice, Base } from "@first/api";
import { Base as Second } from "@second/api";
import five, { Base as Third } from "@third/whatever";
import * as all from "@first/api";
export const main = () => [twice(4), Base === Second, Second === Third, five, Object.keys(all), require("@second/api").Base === Base];
"#;
    let value = bench.run("main.ts", source).await.unwrap();
    assert_eq!(value, json!([8, true, true, 5, ["Base", "default", "twice"], true]));
    let error = bench
        .load("spy.ts", "import { op } from 'omp:internal';\nop('fs.read');\n")
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(error.message.contains("cannot find"), "{error}");
}

#[tokio::test]
async fn what_is_not_offered_says_so_when_it_is_used() {
    let mut bench = Bench::new();
    bench.builtins.push(offered());
    let source = r#"
import { twice, Missing, Other as Renamed } from "@first/api";
import vm, { Script } from "node:vm";
import { statfs, readFileSync } from "node:fs";
import * as workers from "worker_threads";
import fs from "fs";
export { Lost } from "@second/api";
const say = async (work: () => unknown) => { try { return await work(); } catch (error) { return (error as Error).message; } };
export const main = async () => [
  twice(1), typeof Missing, await say(() => Missing()), await say(() => new (Missing as any)()), await say(() => class extends (Missing as any) {}), await say(() => (Renamed as any).x),
  await say(() => vm.runInNewContext("1")), await say(() => new Script("1")), await say(() => statfs("*")), typeof readFileSync, await say(() => fs.statfs("x")), fs.nothingLikeIt === undefined,
  await say(() => ({}) instanceof (Missing as any)), await say(async () => Missing), await say(() => new (workers as any).default.Worker("x")), await say(() => require("cluster").fork()),
];
"#;
    let value = bench.run("main.ts", source).await.unwrap();
    let no = |what: &str| json!(format!("{what} is not offered by omp"));
    let list = value.as_array().unwrap();
    assert_eq!(list[..2], [json!(2), json!("function")]);
    assert_eq!(list[2..6], [no("Missing"), no("Missing"), no("Missing"), no("Other")]);
    assert_eq!(
        list[6..12],
        [
            no("node:vm"),
            no("node:vm"),
            no("node:fs.statfs"),
            json!("function"),
            no("node:fs.statfs"),
            json!(true)
        ]
    );
    assert_eq!(list[12], json!(false));
    assert_eq!(list[14..], [no("node:worker_threads"), no("node:cluster")]);
}

#[tokio::test]
async fn a_module_that_changes_is_the_same_until_the_unit_is_loaded_anew() {
    let bench = Bench::new();
    bench.write("part.ts", "export const value = 1;");
    let path = bench.write("main.ts", "export const main = async () => (await import('./part')).value;");
    let unit = bench.unit("first").await;
    load(&unit, &path).await.unwrap();
    assert_eq!(call(&unit, "main", json!([])).await.unwrap(), json!(1));
    bench.write("part.ts", "export const value = 2;");
    assert_eq!(call(&unit, "main", json!([])).await.unwrap(), json!(1));
    let again = bench.unit("second").await;
    load(&again, &path).await.unwrap();
    assert_eq!(call(&again, "main", json!([])).await.unwrap(), json!(2));
}

#[test]
fn a_scan_lists_imports_by_module_and_name() {
    let bench = Bench::new();
    let entry = bench.write(
        "main.ts",
        "import type { Never } from 'types-only';\nimport { Tool, type Shape } from '@first/api';\nimport fs, { readFileSync } from 'fs';\n\
         import { part } from './part';\nexport * from 'not-installed/sub';\nimport { Unused } from 'unused';\n\
         const lazy = () => import('node:zlib');\nexport const main = () => [Tool, readFileSync, fs.watch, part, lazy, require('uuid')];\n",
    );
    // Also where a copy of it is installed.
    bench.write("node_modules/@first/api/package.json", r#"{"main": "index.js"}"#);
    bench.write("node_modules/@first/api/index.js", "");
    bench.write(
        "part.js",
        "const { Worker } = require('node:worker_threads');\nexport const part = Worker;\n",
    );
    bench.write("broken.ts", "import './main';\nimport './gone';\nconst x: = 1;\n");
    let report = omp_script::scan(&entry, &|name| name == "@first/api", None);
    let names: Vec<(String, Vec<String>)> =
        report.imports.into_iter().map(|(module, names)| (module, names.into_iter().collect())).collect();
    let expected = [
        ("@first/api", vec!["Tool"]),
        ("node:fs", vec!["default", "readFileSync", "watch"]),
        ("node:worker_threads", vec![]),
        ("node:zlib", vec![]),
        ("not-installed/sub", vec![]),
        ("uuid", vec![]),
    ];
    let expected = expected
        .map(|(module, names)| (module.to_owned(), names.into_iter().map(str::to_owned).collect::<Vec<_>>()));
    assert_eq!(names, expected);
    assert_eq!(report.files, [entry, bench.path("part.js")]);
    assert!(report.needs_host.unwrap().ends_with("part.js imports node:worker_threads"));
    let broken = omp_script::scan(&bench.path("broken.ts"), &|_| false, None);
    assert!(broken.problems[0].contains("broken.ts:3:"), "{:?}", broken.problems);
}

#[tokio::test]
async fn a_seal_lets_only_known_contents_be_loaded() {
    let mut bench = Bench::new();
    let entry = bench.write(
        "main.js",
        "import './part.js';\nexport const later = async (name) => (await import(name)).here;\n\
         export const old = (name) => require(name).here;\n",
    );
    let (part, unseen) = (bench.write("part.js", ""), bench.write("unseen.cjs", "exports.here = 1;"));
    let data = bench.write("data.json", r#"{"here": 2}"#);
    let link = bench.path("link.json");
    std::os::unix::fs::symlink(&data, &link).unwrap();
    let mut seal = CodeSeal::default();
    for path in [&entry, &part, &link] {
        seal.add(path, &std::fs::read(path).unwrap());
    }
    bench.seal = Some(Arc::new(seal));
    let unit = bench.unit("sealed").await;
    load(&unit, &entry).await.unwrap();
    for name in ["later", "old"] {
        let call = |path: &str| call(&unit, name, json!([path]));
        let refused = call("./unseen.cjs").await.unwrap_err().to_string();
        let expected =
            format!("cannot load {}: it is not among the files that you trusted", unseen.display());
        assert!(refused.contains(&expected), "{refused}");
        if name == "old" {
            assert_eq!(call("./data.json").await.unwrap(), json!(2));
        }
    }
    bench.write("part.js", "changed()");
    let again = bench.unit("changed").await;
    let refused = load(&again, &entry).await.unwrap_err().to_string();
    let expected = format!("cannot load {}: it has changed since you trusted it", part.display());
    assert!(refused.contains(&expected), "{refused}");
}
