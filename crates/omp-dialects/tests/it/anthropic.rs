//! The in-band XML dialect.

use omp_dialects::{Dialect, Piece};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Seen, call, read, scan as scan_with, scanner, text, truncated};

fn scan<'a>(parts: impl IntoIterator<Item = &'a str>) -> Vec<Seen> {
    scan_with(scanner(Dialect::Anthropic), parts)
}

fn scan_all_ways(text: &str) -> Vec<Seen> {
    read(Dialect::Anthropic, text)
}

/// The other spelling of the same markup.
fn prefixed(markup: &str) -> String {
    let mut out = markup.to_owned();
    for name in ["function_calls", "invoke", "parameter", "function_results"] {
        out = out
            .replace(&format!("<{name}"), &format!("<antml:{name}"))
            .replace(&format!("</{name}"), &format!("</antml:{name}"));
    }
    out
}

const ONE: &str = "Let me look.\n<function_calls>\n<invoke name=\"grep\">\n<parameter name=\"path\">src</parameter>\n<parameter name=\"limit\">20</parameter>\n</invoke>\n</function_calls>";

/// Both spellings, with and without space between the tags, in all chunkings.
// proves: WIR-038
#[test]
fn both_spellings_are_accepted() {
    let expected = [text("Let me look.\n"), call("grep", json!({"path": "src", "limit": 20}))];
    assert_eq!(scan_all_ways(ONE), expected);
    assert_eq!(scan_all_ways(&prefixed(ONE)), expected);
    let tight = ONE.replace(">\n<", "><");
    assert_eq!(scan_all_ways(&tight), expected);
    let airy = ONE.replace(">\n<", ">\n\n  \t <");
    assert_eq!(scan_all_ways(&airy), expected);
    let empty = "<function_calls><invoke name='list'> </invoke></function_calls> after";
    assert_eq!(scan_all_ways(empty), [call("list", json!({})), text(" after")]);
}

/// Nothing is unescaped or trimmed; a body may hold any markup but its own closing tag.
// proves: WIR-039
#[test]
fn bodies_are_raw() {
    let one = |name: &str, body: &str| {
        format!(
            "<function_calls><invoke name=\"grep\"><parameter name=\"{name}\">{body}</parameter></invoke></function_calls>"
        )
    };
    for body in [
        "a & b < c",
        "  leading and trailing \n",
        "&lt;not decoded&gt;",
        "<b>bold</b> </invoke> </function_calls> <invoke name=\"x\">",
        "</antml:parameter>",
        "{\"a\": 1}",
        "42",
        "</param",
        "",
        "ü€🎉",
        "<function_results>data</function_results>",
    ] {
        assert_eq!(scan_all_ways(&one("path", body)), [call("grep", json!({"path": body}))], "{body}");
    }
    for (name, body, value) in [
        ("paths", "[\"a\", \"b\\n\"]", json!(["a", "b\n"])),
        ("options", "\n{\"x\": {\"y\": [1]}}\n", json!({"x": {"y": [1]}})),
        ("limit", "7", json!(7)),
        ("deep", "true", json!(true)),
        ("limit", "many", json!("many")),
        ("mode", "1", json!("1")),
        ("either", "[1]", json!([1])),
        ("either", "null", json!(null)),
        ("either", "\"quoted\"", json!("\"quoted\"")),
        ("either", "12", json!("12")),
        ("unknown", "{\"a\": 1}", json!({"a": 1})),
        ("unknown", "plain words", json!("plain words")),
    ] {
        assert_eq!(scan_all_ways(&one(name, body)), [call("grep", json!({name: value}))], "{name}: {body}");
    }
}

// proves: WIR-040
#[test]
fn several_calls_come_in_order() {
    let markup = "<function_calls>\n<invoke name=\"grep\"><parameter name=\"path\">a</parameter></invoke>\n\
                  <invoke name=\"list\"></invoke>\n<invoke name=\"grep\"><parameter name=\"path\">b</parameter></invoke>\n</function_calls>\nDone.";
    let expected = [
        call("grep", json!({"path": "a"})),
        call("list", json!({})),
        call("grep", json!({"path": "b"})),
        text("\nDone."),
    ];
    assert_eq!(scan_all_ways(markup), expected);
    assert_eq!(scan_all_ways(&prefixed(markup)), expected);
}

/// The old form gives the right name, never that of a neighbour, and is told apart by the missing attribute.
// proves: WIR-041
#[test]
fn the_legacy_form_is_never_confused() {
    let legacy = "<function_calls>\n<invoke>\n<tool_name>grep</tool_name>\n<parameters>\n<path>a & b</path>\n<limit>3</limit>\n</parameters>\n</invoke>\n</function_calls>";
    assert_eq!(scan_all_ways(legacy), [call("grep", json!({"path": "a & b", "limit": 3}))]);
    // Both forms in one block.
    let mixed = legacy.replace("</function_calls>", "<invoke name=\"list\"></invoke></function_calls>");
    assert_eq!(
        scan_all_ways(&mixed),
        [call("grep", json!({"path": "a & b", "limit": 3})), call("list", json!({}))]
    );
    // A modern call with legacy children keeps its own name and takes none of them as arguments.
    let confused = "<function_calls><invoke name=\"list\"><tool_name>grep</tool_name><parameters><path>x</path></parameters></invoke></function_calls>";
    assert_eq!(scan_all_ways(confused), [call("list", json!({}))]);
    // Without a name there is no call.
    let nameless = "<function_calls><invoke><parameter name=\"path\">x</parameter></invoke></function_calls>";
    assert_eq!(scan_all_ways(nameless), [truncated("")]);
}

/// From the first invented result on, everything is discarded.
// proves: WIR-042
#[test]
fn invented_results_end_the_answer() {
    let results = "<function_results><result><tool_name>grep</tool_name><stdout>lies</stdout></result></function_results> So it is <function_calls><invoke name=\"list\"></invoke></function_calls>";
    let after_call = format!("{ONE}\n{results}");
    let expected = [
        text("Let me look.\n"),
        call("grep", json!({"path": "src", "limit": 20})),
        text("\n"),
        Seen::Fabricated,
    ];
    assert_eq!(scan_all_ways(&after_call), expected);
    assert_eq!(scan_all_ways(&prefixed(&after_call)), expected);
    let inside_block = format!("<function_calls><invoke name=\"list\"></invoke>{results}");
    assert_eq!(scan_all_ways(&inside_block), [call("list", json!({})), Seen::Fabricated]);
    let inside_call = format!("<function_calls><invoke name=\"list\">{results}");
    assert_eq!(scan_all_ways(&inside_call), [truncated("list"), Seen::Fabricated]);
    assert_eq!(scan_all_ways(&format!("Well. {results}")), [text("Well. "), Seen::Fabricated]);
}

/// Cut at every byte: no call that was not closed, no markup in the text, and an open call is reported.
#[test]
fn truncation_never_leaks_and_never_runs() {
    for markup in [ONE.to_owned(), prefixed(ONE)] {
        let closed = markup.find("/invoke>").or(markup.find("/antml:invoke>")).unwrap();
        let closed = closed + markup[closed..].find('>').unwrap() + '>'.len_utf8();
        let opened = markup.find("grep\">").unwrap() + "grep\">".len();
        for (cut, _) in markup.char_indices() {
            let pieces = scan([&markup[..cut]]);
            let calls = pieces.iter().filter(|piece| matches!(piece, Seen::Call { .. })).count();
            assert_eq!(calls, usize::from(cut >= closed), "cut at {cut}: {pieces:?}");
            let truncated = pieces.contains(&truncated("grep"));
            assert_eq!(truncated, (opened..closed).contains(&cut), "cut at {cut}: {pieces:?}");
            for piece in &pieces {
                if let Seen::Text(words) = piece {
                    assert!("Let me look.\n</".starts_with(words.as_str()), "cut at {cut}: {words:?}");
                }
            }
        }
    }
}

/// Text that merely looks like markup stays text.
#[test]
fn ordinary_brackets_are_text() {
    for words in [
        "1 < 2 and 3 > 2",
        "<div></div>",
        "a <invoke> b",
        "<function_callsx>",
        "x <",
        "Vec<String>",
        "<parameter name=\"x\">",
    ] {
        assert_eq!(scan_all_ways(words), [text(words)], "{words}");
    }
    let forgotten = "<function_calls>\nActually, no.";
    assert_eq!(scan_all_ways(forgotten), [text("Actually, no.")]);
    let bare = "Sure: <invoke name=\"list\"></invoke> done";
    assert_eq!(scan_all_ways(bare), [text("Sure: "), call("list", json!({})), text("done")]);
}

/// Fragments from which any markup, sense or nonsense, can be put together.
const FRAGMENTS: [&str; 22] = [
    "<function_calls>",
    "</function_calls>",
    "<antml:function_calls>",
    "</antml:function_calls>",
    "<invoke name=\"grep\">",
    "<antml:invoke name=\"list\">",
    "<invoke>",
    "</invoke>",
    "</antml:invoke>",
    "<parameter name=\"path\">",
    "<antml:parameter name=\"paths\">",
    "</parameter>",
    "</antml:parameter>",
    "<tool_name>",
    "</tool_name>",
    "<function_results>",
    "[1]",
    " ",
    "\n",
    "words ü",
    "<",
    ">",
];

proptest! {
    /// Any markup in any chunks gives what it gives as a whole.
    #[test]
    fn chunks_never_matter(picks in prop::collection::vec(0..FRAGMENTS.len(), 0..24), cuts in prop::collection::vec(0_usize..400, 0..12)) {
        let markup: String = picks.into_iter().map(|pick| FRAGMENTS[pick]).collect();
        let mut at: Vec<usize> = cuts.into_iter().filter(|&cut| cut < markup.len() && markup.is_char_boundary(cut)).collect();
        at.extend([0, markup.len()]);
        at.sort_unstable();
        let parts = at.windows(2).map(|pair| &markup[pair[0]..pair[1]]);
        prop_assert_eq!(scan(parts), scan([markup.as_str()]));
    }
}

/// A large body in small chunks is read once, and shows while it comes.
#[test]
fn large_bodies_are_linear() {
    let mut scanner = scanner(Dialect::Anthropic);
    scanner.feed("<function_calls><invoke name=\"grep\"><parameter name=\"path\">");
    let mut streamed = 0;
    for _ in 0..200_000 {
        for piece in scanner.feed("0123456789 <x> ") {
            let Piece::Arguments(more) = piece else { panic!("{piece:?}") };
            streamed += more.len();
        }
    }
    assert_eq!(streamed, 200_000 * "0123456789 <x> ".len());
    let pieces = scanner.feed("</parameter></invoke></function_calls>");
    assert_eq!(pieces, [Piece::Arguments("\"}".into()), Piece::CallEnd]);
}
