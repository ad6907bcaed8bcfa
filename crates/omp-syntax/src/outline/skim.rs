//! Long programs without the insides of their bodies.
//!
//! A summary shows declarations, and parsing what stands in the bodies of functions is nearly all of its cost. Programs
//! are indented, so where a body begins and ends can be seen without a parser: a row that opens a bracket, deeper rows,
//! and a row that closes it. The text without those insides is parsed; bodies that turn out to hold declarations are
//! put back, and it is parsed again. A body counts only where the tree has one at the same rows. Wherever that does not
//! work out, the whole text is parsed. The answer is the same, but for a body with something the grammar does not
//! understand: here it is left out like the others.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::bodies::{Bodies, Style};
use super::folds::{Fold, Sight, folds};
use super::{Options, relax};
use crate::Language;
use crate::tree::{Bounds, parse};

/// Shorter texts are parsed whole: that takes a few milliseconds.
const LEAST_ROWS: usize = 600;
/// How often bodies are put back.
const ROUNDS: usize = 6;

/// The folds of a text, as far as a summary needs them; `None` where the whole text has to be parsed.
pub(super) fn skim(
    text: &str,
    language: Language,
    options: &Options,
    bounds: Bounds<'_>,
) -> Option<Vec<Fold>> {
    let rows: Vec<&str> = text.split('\n').collect();
    if rows.len() < LEAST_ROWS {
        return None;
    }
    let bodies = Bodies::find(&rows, Style::of(language)?);
    let mut open: HashSet<usize> = bodies.headers().filter(|at| may_hold(rows[*at])).collect();
    // A program that is all declarations gains nothing, and all rounds together must not cost much more than the whole.
    let whole = weight(text);
    if weight(&Thin::new(&rows, &bodies, &open).text) > whole / 3 * 2 {
        return None;
    }
    let mut left = whole / 5 * 7;
    for _ in 0..ROUNDS {
        let thin = Thin::new(&rows, &bodies, &open);
        left = left.checked_sub(weight(&thin.text))?;
        let tree = parse(&thin.text, language, bounds)?;
        if tree.root_node().is_error() {
            return None;
        }
        let sight = Sight { text: &thin.text, rows: &rows, places: &thin.places };
        let found = folds(sight, tree.root_node(), language, options);
        let lines = text.lines().count();
        let more = thin.to_open(&found, tree.root_node(), lines, options);
        if more.is_empty() {
            return (!relax::shows_too_little(&found, lines, options)).then_some(found);
        }
        open.extend(more);
    }
    None
}

/// How much there is to parse: comments cost next to nothing.
fn weight(text: &str) -> usize {
    let is_comment = |row: &&str| ["//", "#", "* ", "--"].iter().any(|mark| row.starts_with(mark));
    text.split('\n').map(str::trim_start).filter(|row| !is_comment(row)).map(str::len).sum()
}

/// Does the row look like one whose body holds declarations? Asking spares a round; the tree decides.
fn may_hold(row: &str) -> bool {
    row.split_whitespace().any(|word| {
        let word = word.split(['<', '(', '{']).next().unwrap_or_default();
        matches!(
            word,
            "class"
                | "extension"
                | "impl"
                | "interface"
                | "mod"
                | "module"
                | "namespace"
                | "object"
                | "protocol"
                | "struct"
                | "trait"
        )
    })
}

/// A text without the insides of some of its bodies.
struct Thin {
    text: String,
    /// For each row the first and the last row that it stands for.
    places: Vec<(usize, usize)>,
    /// The bodies whose insides are not there.
    closed: Vec<Closed>,
}

/// A body whose inside was left out.
struct Closed {
    /// The row above, which opens it, and where the opening character stands in the thin text.
    above: usize,
    opener: usize,
    first: usize,
    last: usize,
}

impl Thin {
    fn new(rows: &[&str], bodies: &Bodies, open: &HashSet<usize>) -> Self {
        let mut thin = Self { text: String::new(), places: Vec::new(), closed: Vec::new() };
        let mut at = 0;
        while at < rows.len() {
            thin.push(rows[at], (at, at));
            let opener = thin.text.trim_end().len().saturating_sub(1);
            let Some(body) = bodies.below(at).filter(|_| !open.contains(&at)) else {
                at += 1;
                continue;
            };
            for (row, between) in rows[at + 1..body.first].iter().zip(at + 1..) {
                thin.push(row, (between, between));
            }
            if let Some(instead) = &body.instead {
                thin.push(instead, (body.first, body.last));
            }
            thin.closed.push(Closed { above: at, opener, first: body.first, last: body.last });
            at = body.last + 1;
        }
        // The last row has no end.
        thin.text.pop();
        thin
    }

    fn push(&mut self, row: &str, place: (usize, usize)) {
        self.text.push_str(row);
        self.text.push('\n');
        self.places.push(place);
    }

    /// The bodies whose insides matter: those that hold declarations or most of the text, and those of which the tree
    /// knows nothing.
    fn to_open(&self, folds: &[Fold], root: Node<'_>, lines: usize, options: &Options) -> Vec<usize> {
        let found: HashMap<(usize, usize), bool> = folds
            .iter()
            .map(|fold| ((fold.first, fold.last), fold.container || fold.size() * 2 > lines))
            .collect();
        let matters = |body: &&Closed| match found.get(&(body.first, body.last)) {
            Some(opens) => *opens,
            None => body.last - body.first + 1 >= options.min_body && !body.is_never_folded(root),
        };
        self.closed.iter().filter(matters).map(|body| body.above).collect()
    }
}

impl Closed {
    /// Does the body lie in a text, or is it a list of parameters?
    fn is_never_folded(&self, root: Node<'_>) -> bool {
        let Some(opener) = root.descendant_for_byte_range(self.opener, self.opener + 1) else { return false };
        let around = opener.parent().unwrap_or(opener);
        let words = ["string", "comment", "parameter"];
        words.iter().any(|word| opener.kind().contains(word) || around.kind().contains(word))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{summary, whole};
    use super::*;

    /// Both ways to a summary give the same, and the short one is taken.
    fn agree(name: &str, text: &str) {
        let language = Language::of_path(name, "").unwrap();
        let options = Options { max_lines: usize::MAX, limit: usize::MAX, ..Options::default() };
        let lines = text.lines().count();
        let skimmed = skim(text, language, &options, Bounds::SIZE).unwrap_or_else(|| panic!("{name}"));
        let whole = whole(text, language, &options, Bounds::SIZE).unwrap();
        let (skimmed, whole) = (summary(&skimmed, lines, &options), summary(&whole, lines, &options));
        assert!(skimmed.is_some(), "{name}");
        assert_eq!(skimmed, whole, "{name}");
    }

    fn sources(directory: &Path, text: &mut String) {
        let mut entries: Vec<_> =
            std::fs::read_dir(directory).unwrap().flatten().map(|one| one.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                sources(&path, text);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    fn our_own_sources() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for name in ["omp-syntax", "omp-edits", "omp-session", "omp-workspace"] {
            let mut text = String::new();
            sources(&crates.join(name).join("src"), &mut text);
            agree("lib.rs", &text);
        }
    }

    #[test]
    fn every_style() {
        let texts = [
            (
                "a.go",
                "// F does.\nfunc F@(a int,\n\tb int) error {\n%\tif a > b {\n\t\treturn nil\n\t}\n}\n\n",
                "\tx := call(1)\n",
            ),
            (
                "a.c",
                "/* does */\nstatic int f@(int a)\n{\n%#ifdef X\n\tgo();\n#endif\nout:\n\treturn 0;\n}\n\n",
                "\tint x = 1;\n",
            ),
            (
                "a.ts",
                "export class A@ {\n  constructor(\n    private a: string,\n    private b: string,\n    private c: string,\n    private d: string,\n  ) {}\n\n  async run(): Promise<void> {\n%  }\n}\n",
                "    await call({ a: 1 });\n",
            ),
            ("a.rb", "class A@\n  # Does.\n  def run(x)\n%  end\nend\n", "    call(x) { |y| y + 1 }\n"),
            (
                "a.py",
                "class A@:\n    \"\"\"Says: things.\"\"\"\n\n    # Why.\n    def run(self, x):\n        # How.\n%        return [\n            x,\n        ]\n\n",
                "        self.call(x)\n",
            ),
            (
                "A.java",
                "class A@ {\n    @Override\n    public void run() {\n%    }\n}\n",
                "        call(1);\n",
            ),
        ];
        for (name, function, statement) in texts {
            let text: String = (0..90)
                .map(|at| function.replace('@', &at.to_string()).replace('%', &statement.repeat(12)))
                .collect();
            agree(name, &text);
        }
    }

    /// What looks like a body inside of a text is none.
    #[test]
    fn rows_of_a_string() {
        let text: String = (0..60)
            .map(|at| {
                let body = "    call(1);\n".repeat(10);
                format!("const T{at}: &str = r#\"\nif x {{\n    a\n    b\n    c\n    d\n}}\n\"#;\nfn f{at}() {{\n{body}}}\n")
            })
            .collect();
        agree("a.rs", &text);
    }
}
