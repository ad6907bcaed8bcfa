//! Whatever the text, answers make sense.

use omp_syntax::outline::{self, Options, Summary};
use omp_syntax::pattern::{Pattern, Rule, Source};
use omp_syntax::{Bounds, Language, block};
use proptest::prelude::*;

const LINES: &[&str] = &[
    "fn f() {",
    "}",
    "    // words",
    "# words",
    "/*",
    "*/",
    "def f(x):",
    "    return x",
    "  end",
    "do",
    "class A {",
    "    @dec",
    "f(1,",
    ");",
    "if x { y } else {",
    "\"\"\"",
    "`",
    "${",
    "<p>",
    "</p>",
    "[",
    "]",
    "",
    "  é→日本",
    "=",
    "begin",
];

/// The gaps of a summary are in order, in the text, and do not overlap.
fn makes_sense(summary: &Summary, lines: usize) -> Result<(), TestCaseError> {
    prop_assert_eq!(summary.lines, lines);
    let mut next = 1;
    for gap in &summary.elided {
        prop_assert!(gap.first >= next && gap.last >= gap.first && gap.last <= lines, "{:?}", summary);
        // A bracket is closed on a line that is shown.
        prop_assert!(!gap.bracketed || gap.last < lines);
        next = gap.last + 1;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Long programs, of which only a part is parsed.
    #[test]
    fn outlines_of_long_programs(
        picked in prop::collection::vec((0..LINES.len(), 0..4_usize), 1..120),
        at in 0..1000_usize,
    ) {
        const PROGRAMS: [(&str, &str); 4] = [
            ("a.rs", "fn f() {\n#}\n"),
            ("a.py", "def f():\n#\n"),
            ("a.c", "int f()\n{\n#}\n"),
            ("a.rb", "def f\n#end\n"),
        ];
        let (name, function) = PROGRAMS[at % PROGRAMS.len()];
        let function = function.replace('#', &"    call(1)\n".repeat(20));
        let chunks = picked.chunks(4).map(|rows| {
            let row = |(line, depth): &(usize, usize)| format!("{}{}\n", "    ".repeat(*depth), LINES[*line]);
            rows.iter().map(row).collect::<String>()
        });
        let text: String = chunks.chain((0..20).map(|_| String::new())).map(|chunk| chunk + &function.repeat(2)).collect();
        let options = Options { enough: 5, most: 10, ..Options::default() };
        let language = Language::of_path(name, "").unwrap();
        if let Some(summary) = outline::code(&text, language, &options, Bounds::SIZE) {
            makes_sense(&summary, text.lines().count())?;
        }
    }

    #[test]
    fn outlines_and_blocks(picked in prop::collection::vec(0..LINES.len(), 1..140), at in 0..1000_usize) {
        let text: String = picked.iter().map(|line| format!("{}\n", LINES[*line])).collect();
        let options = Options { min_lines: 1, enough: 5, most: 10, ..Options::default() };
        let languages: Vec<Language> = Language::all().collect();
        let language = languages[at % languages.len()];
        let lines = text.lines().count();
        let summaries = [
            outline::code(&text, language, &options, Bounds::SIZE),
            outline::prose(&text, Some(language), &options),
            outline::prose(&text, None, &options),
        ];
        for summary in summaries.into_iter().flatten() {
            makes_sense(&summary, lines)?;
        }
        let line = at % lines + 1;
        if let Some((first, last)) = block(&text, language, line, Bounds::SIZE) {
            prop_assert!(first == line && last >= first && last <= lines);
        }
    }

    #[test]
    fn rewrites_stay_in_the_text(picked in prop::collection::vec(0..LINES.len(), 1..40), at in 0..1000_usize) {
        let text: String = picked.iter().map(|line| format!("{}\n", LINES[*line])).collect();
        let languages: Vec<Language> = Language::all().collect();
        let language = languages[at % languages.len()];
        let source = Source::parse(&text, language, Bounds::SIZE).unwrap();
        for (pattern, template) in [("f($$$)", ""), ("x", "y\n  z"), ("[$A]", "$A"), ("$A", "$A")] {
            let Ok(pattern) = Pattern::new(pattern, language) else { continue };
            for found in source.search(&pattern) {
                prop_assert!(text.get(found.range.clone()).is_some());
                prop_assert!(found.lines.0 <= found.lines.1);
            }
            let Ok(rule) = Rule::new(pattern, template, language) else { continue };
            let Ok(all) = source.rewrite(&[rule]) else { continue };
            for one in all {
                prop_assert!(text.get(one.range.clone()).is_some());
            }
        }
    }
}
