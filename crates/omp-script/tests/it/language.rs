//! TypeScript, JSX, positions.

use omp_script::ScriptErrorKind;
use serde_json::json;

use crate::support::{Bench, call};

#[tokio::test]
async fn typescript_runs() {
    let bench = Bench::new();
    bench.write(
        "types.ts",
        "export interface Shape { sides: number }\nexport type Id = string;\nexport const real = 1;\n",
    );
    bench.write("again.ts", "export { Shape, real } from './types';\n");
    let source = r#"
import { Shape, Id, real } from "./types";
import { type Shape as Again } from "./again.js";
import { Shape as Third } from "./again";
import type { Nothing } from "./does-not-exist";
import { Unused } from "./also-not-there";
enum Color { Red, Green = "green" }
const enum Bit { One = 1, Two = One << 1 }
namespace Geometry { export const corners = (shape: Shape) => shape.sides; }
class Point { constructor(private readonly x: number, public y = 2) {} sum(): number { return this.x + this.y; } #p = 1; get p() { return this.#p!; } }
abstract class Base<T> { abstract make(): T; }
class Made extends Base<string> { make() { return "made" as Id; } }
declare const nowhere: string;
function over(a: string): string;
function over(a: number): number;
function over(a: any): any { return a; }
export const main = async () => [
  Color[0], Color.Green, Bit.Two, Geometry.corners({ sides: 4 } satisfies Shape), new Point(1).sum(), new Made().make(), over(7)!,
  (<number>real), new Point(1).p,
];
export type { Again, Third };
const top = await Promise.resolve("top");
export { top };
"#;
    let value = bench.run("main.ts", source).await.unwrap();
    assert_eq!(value, json!(["Red", "green", 2, 4, 3, "made", 7, 1, 1]));
}

#[tokio::test]
async fn jsx_becomes_calls() {
    let bench = Bench::new();
    let source = "/** @jsxRuntime classic */\n/** @jsx h */\nconst h = (tag: any, props: any, ...kids: any[]) => [tag, props, kids];\n\
                  export const main = () => <a href=\"x\">{1 as number}<b/></a>;\n";
    assert_eq!(
        bench.run("main.tsx", source).await.unwrap(),
        json!(["a", { "href": "x" }, [1, ["b", null, []]]])
    );
}

#[tokio::test]
async fn errors_name_the_place_in_the_source() {
    let bench = Bench::new();
    let source = "interface A {\n  a: string;\n}\n\nconst fail = (value: A): never => {\n  throw new TypeError(`no ${value.a}`);\n};\n\
                  export const main = (): void => {\n  fail({ a: 'x' });\n};\nexport const stack = () => { try { main(); } catch (e) { return (e as Error).stack; } };\n";
    let unit = bench.load("place.ts", source).await.unwrap();
    let error = call(&unit, "main", json!([])).await.unwrap_err();
    assert_eq!(error.kind, ScriptErrorKind::Thrown);
    assert_eq!(error.message, "TypeError: no x");
    let place = error.place.clone().unwrap();
    assert_eq!((place.file, place.line), (bench.path("place.ts").display().to_string(), 6));
    assert!((9..40).contains(&place.column), "{}", place.column);
    let stack = call(&unit, "stack", json!([])).await.unwrap();
    let lines: Vec<&str> = stack.as_str().unwrap().lines().collect();
    assert_eq!(lines[0], "TypeError: no x");
    assert!(lines[1].contains("fail") && lines[1].contains("place.ts:6:"), "{stack}");
    assert!(lines[2].contains("main") && lines[2].contains("place.ts:9:"), "{stack}");
    let plain = bench.run("plain.mjs", "\n\nexport const main = () => {\n  null.x;\n};\n").await.unwrap_err();
    assert_eq!(plain.place.map(|place| place.line), Some(4));
}

#[tokio::test]
async fn syntax_errors_name_file_line_and_column() {
    let bench = Bench::new();
    for (name, source) in [
        ("broken.ts", "const a = 1;\nconst b: = 2;\n"),
        ("broken.js", "const a = 1;\nexport const b = ;\n"),
        ("twice.ts", "const a = 1;\nconst a: number = 2;\nexport {};\n"),
        ("broken.cjs", "module.exports = 1;\nlet x = = 2;\n"),
    ] {
        let error = bench.load(name, source).await.map(|_| ()).unwrap_err();
        assert_eq!(error.kind, ScriptErrorKind::Syntax, "{name}: {error}");
        assert!(error.to_string().contains(&format!("{name}:2:")), "{name}: {error}");
    }
    bench.write("inner.ts", "export const x: = 1;\n");
    let error = bench
        .load("outer.ts", "import { x } from './inner';\nexport const main = () => x;\n")
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(error.to_string().contains("inner.ts:1:"), "{error}");
}
