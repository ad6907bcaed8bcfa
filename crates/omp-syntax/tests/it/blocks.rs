//! The construct that begins on a line.

use omp_syntax::{Bounds, Language, block};

/// The lines of the construct that begins where `text` first has `start`, with `…` between the first and the last.
fn found(path: &str, text: &str, start: &str) -> Option<String> {
    let language = Language::of_path(path, "").unwrap();
    let line =
        text[..text.find(start).unwrap_or_else(|| panic!("{path}: {start}"))].matches('\n').count() + 1;
    let (first, last) = block(text, language, line, Bounds::SIZE)?;
    assert_eq!(first, line);
    let lines: Vec<&str> = text.lines().collect();
    Some(match last - first {
        0 => lines[first - 1].trim().to_owned(),
        _ => format!("{}…{}", lines[first - 1].trim(), lines[last - 1].trim()),
    })
}

#[track_caller]
fn check(path: &str, text: &str, expected: &[(&str, Option<&str>)]) {
    for (start, wanted) in expected {
        assert_eq!(found(path, text, start).as_deref(), *wanted, "{path}: {start}");
    }
}

#[test]
fn rust() {
    let text = "/// Doc.\n#[inline]\npub fn a(x: u8) -> u8 {\n    if x > 1 {\n        x\n    } else {\n        2\n    }\n}\n\nstruct S {\n    a: u8,\n    b: Vec<\n        u8,\n    >,\n}\n\nimpl S {\n    /// Doc.\n    fn m(&self) {\n        self.n(|x| {\n            x\n        })\n    }\n}\n";
    check(
        "a.rs",
        text,
        &[
            ("pub fn a", Some("pub fn a(x: u8) -> u8 {…}")),
            ("/// Doc.", Some("/// Doc.")),
            ("#[inline]", Some("#[inline]")),
            ("    if x", Some("if x > 1 {…}")),
            ("    } else", None),
            ("struct S", Some("struct S {…}")),
            ("    b: Vec", Some("b: Vec<…>,")),
            ("impl S", Some("impl S {…}")),
            ("    fn m", Some("fn m(&self) {…}")),
            ("        self.n", Some("self.n(|x| {…})")),
        ],
    );
}

#[test]
fn python() {
    let text = "import a\n\n@one\n@two(1)\ndef f(x):\n    if x:\n        return 1\n    return 2\n\n\nclass C:\n    \"\"\"Doc.\"\"\"\n\n    def m(self):\n        pass\n\n    @property\n    async def n(self):\n        for i in self:\n            yield i\n\nx = [\n    1,\n]\n";
    check(
        "a.py",
        text,
        &[
            ("@one", Some("@one…return 2")),
            ("@two", Some("@two(1)")),
            ("def f", Some("def f(x):…return 2")),
            ("    if x", Some("if x:…return 1")),
            ("class C", Some("class C:…yield i")),
            ("    def m", Some("def m(self):…pass")),
            ("    @property", Some("@property…yield i")),
            ("    async def", Some("async def n(self):…yield i")),
            ("x = [", Some("x = […]")),
            ("import a", Some("import a")),
        ],
    );
}

#[test]
fn typescript() {
    let text = "import { a } from 'b';\n\n/** Doc. */\nexport function f<T>(x: T): T {\n  return x;\n}\n\nexport const g = async () => {\n  await f(1);\n};\n\n@Injectable()\nexport class C extends D {\n  private x = 1;\n\n  @Input()\n  m(): void {\n    if (this.x) {\n      this.x = 2;\n    }\n  }\n}\n\nconst o = {\n  a: {\n    b: 1,\n  },\n  c() {\n    return 1;\n  },\n};\n\ndescribe('x', () => {\n  it('y', () => {\n    f(1);\n  });\n});\n";
    check(
        "a.ts",
        text,
        &[
            ("export function f", Some("export function f<T>(x: T): T {…}")),
            ("export const g", Some("export const g = async () => {…};")),
            ("@Injectable", Some("@Injectable()…}")),
            ("export class", Some("export class C extends D {…}")),
            ("  @Input", Some("@Input()")),
            ("  m()", Some("m(): void {…}")),
            ("    if (this", Some("if (this.x) {…}")),
            ("  a: {", Some("a: {…},")),
            ("  c()", Some("c() {…},")),
            ("describe", Some("describe('x', () => {…});")),
            ("  it(", Some("it('y', () => {…});")),
            ("  });", None),
        ],
    );
}

#[test]
fn go_and_java() {
    let go = "package p\n\nimport (\n\t\"a\"\n\t\"b\"\n)\n\n// Doc.\nfunc (s *S) F(x int) error {\n\tif x > 1 {\n\t\treturn nil\n\t}\n\tfor i := range x {\n\t\tg(i)\n\t}\n\treturn nil\n}\n\ntype S struct {\n\ta int\n}\n";
    check(
        "a.go",
        go,
        &[
            ("import (", Some("import (…)")),
            ("func (s", Some("func (s *S) F(x int) error {…}")),
            ("\tif x", Some("if x > 1 {…}")),
            ("\tfor i", Some("for i := range x {…}")),
            ("type S", Some("type S struct {…}")),
        ],
    );
    let java = "package p;\n\n/** Doc. */\n@Entity\npublic class C {\n    private int x;\n\n    @Override\n    public void m() {\n        run(() -> {\n            x++;\n        });\n    }\n}\n";
    check(
        "A.java",
        java,
        &[
            ("@Entity", Some("@Entity…}")),
            ("public class", Some("public class C {…}")),
            ("    @Override", Some("@Override…}")),
            ("    public void", Some("public void m() {…}")),
            ("        run(", Some("run(() -> {…});")),
            ("/** Doc", Some("/** Doc. */")),
        ],
    );
}

/// One construct in each of many languages: path, text, and the last line of the construct on the first.
#[test]
fn many_languages() {
    let cases = [
        ("a.c", "int\nf(int x)\n{\n    return x;\n}\nint g;\n", "}"),
        ("a.cpp", "std::vector<int>\nf(int x)\n{\n    return x;\n}\nint g;\n", "}"),
        ("a.c", "static int f(int x)\n{\n    return x;\n}\nint g;\n", "}"),
        ("a.cpp", "template <typename T>\nclass C {\npublic:\n    void f() {}\n};\nint g;\n", "};"),
        ("a.cs", "[Attr]\npublic class C\n{\n    int X { get; set; }\n}\nclass D {}\n", "}"),
        ("a.rb", "class C\n  def m(x)\n    x.each do |y|\n      puts y\n    end\n  end\nend\nx = 1\n", "end"),
        ("a.rb", "def m(x)\n  x\nend\n\ndef n\nend\n", "end"),
        ("a.kt", "fun f(x: Int): Int {\n    return x\n}\nval y = 1\n", "}"),
        ("a.kt", "@Test\nfun f() {\n    g()\n}\n", "}"),
        ("a.swift", "func f(x: Int) -> Int {\n    return x\n}\nlet y = 1\n", "}"),
        ("a.scala", "object O {\n  def f(x: Int) = {\n    x\n  }\n}\n", "}"),
        ("a.scala", "def f(x: Int) =\n  val y = x\n  y\n\nval z = 1\n", "  y"),
        ("a.lua", "local function f(x)\n  return x\nend\nlocal y = 1\n", "end"),
        ("a.sh", "f() {\n  echo 1\n}\nf\n", "}"),
        ("a.sh", "if true; then\n  echo 1\nfi\nf\n", "fi"),
        ("a.sql", "CREATE TABLE t (\n  a INT,\n  b INT\n);\nSELECT 1;\n", ");"),
        ("a.sql", "SELECT a,\n  b\nFROM t\nWHERE c = 1;\nSELECT 2;\n", "WHERE c = 1;"),
        ("a.sql", "DELETE\nFROM t\nWHERE c = 1;\nSELECT 2;\n", "WHERE c = 1;"),
        ("a.cmake", "if(X)\n  set(A 1)\nendif()\nset(B 2)\n", "endif()"),
        ("a.cmake", "function(f x)\n  set(A 1)\n  set(B 1)\nendfunction()\nf(1)\n", "endfunction()"),
        ("a.svelte", "{#if a}\n  <p>x</p>\n{/if}\n<b>y</b>\n", "{/if}"),
        ("a.svelte", "{#each a as b}\n  <p>x</p>\n  <p>y</p>\n{/each}\n<b>y</b>\n", "{/each}"),
        ("a.ini", "[a]\nb = 1\nc = 2\n\n[d]\n", "c = 2"),
        ("a.graphql", "query Q {\n  a\n}\ntype T {\n  b: Int\n}\n", "}"),
        ("a.jl", "function f(x)\n  x\nend\ny = 1\n", "end"),
        ("a.html", "<div>\n  <p>x</p>\n</div>\n<p></p>\n", "</div>"),
        ("a.css", ".a {\n  color: red;\n}\n.b {}\n", "}"),
        ("a.yaml", "a:\n  b: 1\n  c:\n    - 2\nd: 3\n", "    - 2"),
        ("a.json", "[\n  1\n]\n", "]"),
        ("a.toml", "[a]\nb = 1\nc = 2\n\n[d]\n", "c = 2"),
        ("a.ex", "defmodule M do\n  def f(x) do\n    x\n  end\nend\n", "end"),
        ("a.hs", "f x = case x of\n  1 -> 2\n  _ -> 3\n\ng = 1\n", "  _ -> 3"),
        ("a.ml", "let f x =\n  let y = x in\n  y + 1\n\nlet g = 2\n", "  y + 1"),
        ("a.zig", "fn f(x: u8) u8 {\n    return x;\n}\nconst y = 1;\n", "}"),
        ("a.nix", "{\n  a = 1;\n}\n", "}"),
        ("a.php", "<?php\nfunction f($x) {\n    return $x;\n}\n", "<?php"),
        ("a.dart", "class C {\n  void f() {}\n}\nvar x = 1;\n", "}"),
        ("Makefile", "all: a\n\techo 1\n\techo 2\n\nb:\n\techo 3\n", "\techo 2"),
        ("a.tf", "resource \"a\" \"b\" {\n  x = 1\n}\n", "}"),
        ("a.proto", "message M {\n  int32 a = 1;\n}\nmessage N {}\n", "}"),
        ("a.clj", "(defn f [x]\n  (let [y x]\n    y))\n(def z 1)\n", "    y))"),
        ("a.erl", "f(1) ->\n  2;\nf(X) ->\n  X.\n", "  2;"),
        ("a.r", "f <- function(x) {\n  x\n}\ny <- 1\n", "}"),
        ("a.ps1", "function F {\n  1\n}\n$x = 1\n", "}"),
    ];
    let mut wrong = Vec::new();
    for (path, text, last) in cases {
        let language = Language::of_path(path, "").unwrap();
        let found =
            block(text, language, 1, Bounds::SIZE).map(|(_, last)| text.lines().nth(last - 1).unwrap());
        if found != Some(last) {
            wrong.push(format!("{path}: {found:?}, not {last:?} in {text:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn markdown_headings_open_sections() {
    let text = "# One\n\ntext\n\n## Two\n\n```\n# no heading\n```\n\n### Three\n\nmore\n\n## Four\n\nSetext\n------\n\nend\n\n# Five\n";
    check(
        "a.md",
        text,
        &[
            ("# One", Some("# One…end")),
            ("## Two", Some("## Two…more")),
            ("### Three", Some("### Three…more")),
            ("## Four", Some("## Four")),
            ("Setext", Some("Setext…end")),
            ("# Five", Some("# Five")),
        ],
    );
}

/// Attributes on lines of their own belong to the construct, but the line below is what people call its beginning.
#[test]
fn attributes_above_a_declaration() {
    let csharp = "[ApiController]\n[Route(\"x\")]\npublic class C\n{\n    [HttpGet]\n    public int Get()\n    {\n        return 1;\n    }\n}\n";
    check(
        "a.cs",
        csharp,
        &[
            ("[ApiController]", Some("[ApiController]…}")),
            ("public class", Some("public class C…}")),
            ("    public int", Some("public int Get()…}")),
        ],
    );
    let php = "<?php\n#[Attribute]\nfinal class C\n{\n    #[Route]\n    public function f()\n    {\n        return 1;\n    }\n}\n";
    check(
        "a.php",
        php,
        &[("final class", Some("final class C…}")), ("    public function", Some("public function f()…}"))],
    );
}

/// What closes an element begins nothing, as a closing bracket does not.
#[test]
fn closing_tags_are_no_constructs() {
    let text = "<div>\n  <p>\n    x\n  </p>\n</div>\n";
    for path in ["a.html", "a.vue", "a.svelte", "a.xml"] {
        check(path, text, &[("<div>", Some("<div>…</div>")), ("  </p>", None), ("</div>", None)]);
    }
    let tsx = "const a = (\n  <ul>\n    <li />\n  </ul>\n);\n";
    check("a.tsx", tsx, &[("  <ul>", Some("<ul>…</ul>")), ("  </ul>", None)]);
    let fragment = "const a = (\n  <>\n    <li>\n      x\n    </li>\n  </>\n);\n";
    check("a.jsx", fragment, &[("  <>", Some("<>…</>")), ("    <li>", Some("<li>…</li>")), ("  </>", None)]);
}

/// The rest of a comment or of a string is no construct: without its beginning it is something else.
#[test]
fn the_middle_of_a_comment_or_a_string_begins_nothing() {
    let text = "/*\n  one\n  two\n*/\nconst s = `\n  three\n  four\n`;\n";
    check(
        "a.js",
        text,
        &[("  one", None), ("  two", None), ("*/", None), ("  three", None), ("  four", None)],
    );
    check("a.py", "\"\"\"One.\n\nTwo\nthree.\n\"\"\"\n", &[("Two", None), ("three", None)]);
    check("a.rs", "fn f() {\n    g(\"a\n    b\n    c\");\n}\n", &[("    b", None), ("    c", None)]);
}

/// A piece of code ends with as many marks as it began with, and values before the text are no heading.
#[test]
fn markdown_in_markdown() {
    let text = "---\ntitle: x\ndate: y\n---\n\n# One\n\n````md\n# no heading\n\n```sh\n# none either\n```\n\n# still none\n````\n\n```one line```\n\n  ## Two\n\n```sh\n```other\n# none\n```\n\nend\n\n# Three\n";
    check(
        "a.md",
        text,
        &[
            ("# One", Some("# One…end")),
            ("  ## Two", Some("## Two…end")),
            ("# Three", Some("# Three")),
            ("date: y", None),
        ],
    );
}

#[test]
fn what_begins_nothing_is_no_block() {
    let text = "fn f() {\n    a();\n\n}\nfn broken( {\n}\n";
    for (line, wanted) in [(2, Some((2, 2))), (3, None), (4, None), (0, None), (99, None)] {
        assert_eq!(block(text, Language::of_path("a.rs", "").unwrap(), line, Bounds::SIZE), wanted, "{line}");
    }
    let broken = "fn ok() {\n}\n\nfn broken() {\n    let = ;\n}\n";
    let language = Language::of_path("a.rs", "").unwrap();
    assert_eq!(block(broken, language, 1, Bounds::SIZE), Some((1, 2)), "an error elsewhere does not matter");
    assert_eq!(block(broken, language, 4, Bounds::SIZE), None, "a syntax error inside");
}

/// Lines that another construct shares cannot be replaced without damage.
#[test]
fn a_block_that_ends_in_the_middle_of_a_line_is_refused() {
    let javascript = Language::of_path("a.js", "").unwrap();
    assert_eq!(block("f([\n  {\n    a: 1\n  }, {\n    b: 2\n  },\n]);\n", javascript, 2, Bounds::SIZE), None);
    assert_eq!(block("function a() {\n} function b() {}\n", javascript, 1, Bounds::SIZE), None);
    assert_eq!(block("function a() {\n} // end\n", javascript, 1, Bounds::SIZE), Some((1, 2)));
}
