//! Whatever the text, answers make sense.

use omp_syntax::outline::{self, Options};
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

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
            prop_assert_eq!(summary.lines, lines);
            let mut next = 1;
            for gap in &summary.elided {
                prop_assert!(gap.first >= next && gap.last >= gap.first && gap.last <= lines, "{:?}", summary);
                // A bracket is closed on a line that is shown.
                prop_assert!(!gap.bracketed || gap.last < lines);
                next = gap.last + 1;
            }
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
        for (pattern, template) in [("f($$$)", ""), ("x", "$A"), ("[$A]", "$A"), ("$A", "$A")] {
            let Ok(pattern) = Pattern::new(pattern, language) else { continue };
            for found in source.search(&pattern) {
                prop_assert!(text.get(found.range.clone()).is_some());
                prop_assert!(found.lines.0 <= found.lines.1);
            }
            let Ok(all) = source.rewrite(&[Rule::new(pattern, template, language)]) else { continue };
            for one in all {
                prop_assert!(text.get(one.range.clone()).is_some());
            }
        }
    }
}
