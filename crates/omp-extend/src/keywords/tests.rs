use proptest::prelude::*;

use super::*;

fn on(text: &str) -> Magic {
    find(text, &KeywordSwitches::default())
}

/// The word stands by itself.
const BY_ITSELF: &[&str] = &[
    "ultrathink",
    "please ultrathink.",
    "ultrathink: why?",
    "Fix it, ultrathink!",
    "(ultrathink)",
    "say \"ultrathink\" now",
    "'ultrathink'",
    "“ultrathink”",
    "ultrathink, then go",
    "one\nultrathink\ntwo",
    "\tultrathink\t",
    "ultrathink—really",
    "ultrathink...",
    "ultrathink?!",
    "a < b, ultrathink, c > d",
    "a stray ` ultrathink",
    "`code` ultrathink `code`",
    "```\ncode\n```\nultrathink",
    "<p>x</p> ultrathink",
    "Vec<String> ultrathink",
    "<br> ultrathink",
    "Ultrathink ultrathink",
];

/// It is part of something else: another word, a path, code, markup.
const PART: &[&str] = &[
    "",
    "Ultrathink",
    "ULTRATHINK",
    "ultrathinks",
    "ultrathinking",
    "myultrathink",
    "ultrathink2",
    "2ultrathink",
    "ultrathink_",
    "_ultrathink",
    "ultrathink-mode",
    "non-ultrathink",
    "ultrathink.md",
    "ultrathink.tar.gz",
    "notes.ultrathink",
    ".ultrathink",
    "/ultrathink",
    "docs/ultrathink",
    "ultrathink/docs",
    "C:\\ultrathink",
    "ultrathink\\x",
    "ultrathink's",
    "ultrathink’s",
    "ultrathink://x",
    "ultrathink:8080",
    "ultrathink?x=1",
    "@ultrathink",
    "#ultrathink",
    "$ultrathink",
    "--ultrathink",
    "ultrathink=1",
    "ultrathink()",
    "ultrathinké",
    "思ultrathink",
    "`ultrathink`",
    "`run ultrathink now`",
    "``a ` ultrathink b``",
    "`two\nlines ultrathink here`",
    "``a ` ultrathink``",
    "`two\nlines ultrathink`",
    "```\nultrathink\n```",
    "```rust\nultrathink",
    "~~~\nultrathink\n```\nultrathink\n~~~",
    "````\n```\nultrathink\n````",
    "   ```\nultrathink\n   ```",
    "<file>ultrathink</file>",
    "<file>\n<b>x</b> ultrathink\n</file>",
    "<FILE>ultrathink</file>",
    "<a><a>x</a> ultrathink </a>",
    "<file name=\"ultrathink\">",
    "<file note='an ultrathink here'/>",
    "<!-- ultrathink -->",
    "<!-- ultrathink",
];

// proves: LOP-088
#[test]
fn a_word_counts_only_by_itself() {
    for text in BY_ITSELF {
        assert!(on(text).ultrathink, "{text:?}");
        assert!(on(&text.replace("ultrathink", "orchestrate")).orchestrate, "{text:?}");
        assert!(on(&text.replace("ultrathink", "workflowz")).workflow, "{text:?}");
    }
    for text in PART {
        assert!(!on(text).ultrathink, "{text:?}");
        assert!(!on(&text.replace("ultrathink", "orchestrate")).orchestrate, "{text:?}");
        assert!(!on(&text.replace("ultrathink", "workflowz")).workflow, "{text:?}");
    }
}

#[test]
fn a_blank_line_ends_a_span_of_code() {
    assert!(on("a ` b\n\nultrathink\n\nc ` d").ultrathink);
}

#[test]
fn switches_are_for_their_words() {
    let text = "ultrathink orchestrate workflowz +5k";
    let all = KeywordSwitches::default();
    let magic = find(text, &all);
    assert!(magic.ultrathink && magic.orchestrate && magic.workflow && magic.budget.is_some());
    assert!(!find(text, &KeywordSwitches { ultrathink: false, ..all }).ultrathink);
    assert!(!find(text, &KeywordSwitches { orchestrate: false, ..all }).orchestrate);
    let magic = find(text, &KeywordSwitches { workflow: false, ..all });
    assert!(!magic.workflow && magic.ultrathink && magic.orchestrate);
    assert_eq!(find(text, &KeywordSwitches { enabled: false, ..all }), Magic::default());
}

#[test]
fn instructions_follow_the_words_and_the_agents() {
    let magic = on("workflowz orchestrate ultrathink");
    let words = |subagents| -> Vec<Keyword> {
        instructions(&magic, subagents).into_iter().map(|(keyword, _)| keyword).collect()
    };
    assert_eq!(words(SubAgents::Available), Keyword::ALL);
    assert_eq!(words(SubAgents::Absent), [Keyword::Ultrathink, Keyword::Orchestrate]);
    assert!(instructions(&on("plain"), SubAgents::Available).is_empty());
    for (keyword, text) in instructions(&magic, SubAgents::Available) {
        assert!((200..900).contains(&text.len()), "{keyword:?}");
        assert!(spans(text).is_empty(), "{keyword:?} must not call itself");
    }
}

#[test]
fn spans_are_where_the_words_are() {
    let text = "é orchestrate, `ultrathink` ultrathink";
    let found: Vec<_> = spans(text).into_iter().map(|(span, keyword)| (&text[span], keyword)).collect();
    assert_eq!(found, [("orchestrate", Keyword::Orchestrate), ("ultrathink", Keyword::Ultrathink)]);
    assert_eq!(spans(text)[1].0.start, text.rfind("ultrathink").expect("the last one"));
}

#[test]
fn budgets_are_words_of_their_own() {
    let soft = |tokens| Some(TokenBudget { tokens, hard: false });
    let hard = |tokens| Some(TokenBudget { tokens, hard: true });
    let table = [
        ("+500k", soft(500_000)),
        ("go +2m now", soft(2_000_000)),
        ("+8000", soft(8000)),
        ("+8000!", hard(8000)),
        ("+1k!", hard(1000)),
        ("use +500K, please", soft(500_000)),
        ("at most +2M.", soft(2_000_000)),
        ("+1k or +2k", soft(2000)),
        ("+1", None),
        ("+100", None),
        ("+0k", None),
        ("+", None),
        ("+k", None),
        ("+5kk", None),
        ("+5km", None),
        ("+5x", None),
        ("+-5k", None),
        ("a+500k", None),
        ("+500k+", None),
        ("+500k/s", None),
        ("500k", None),
        ("+ 500k", None),
        ("+99999999999999999999m", None),
        ("+18446744073709551615k", None),
        ("`+500k`", None),
        ("```diff\n+8000\n```", None),
        ("<x>+500k </x>", None),
        ("+٣٠٠٠", None),
    ];
    for (text, budget) in table {
        assert_eq!(on(text).budget, budget, "{text}");
    }
}

#[test]
fn long_prompts_take_time_in_proportion() {
    // Quadratic work on any of these would take minutes.
    for piece in ["` `` ", "<a>", "<a ", "</a>", "ultrathink ", "```\n", "+1k ", "<!--", "`\n\n", "<a><b>"] {
        on(&piece.repeat(50_000));
    }
}

/// Pieces that mean something, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("ultrathink"),
        Just(" "),
        Just("\n"),
        Just("```"),
        Just("`"),
        Just("~~~"),
        Just("<a>"),
        Just("</a>"),
        Just("<"),
        Just(">"),
        Just("<!--"),
        Just("-->"),
        Just("."),
        Just("x"),
        Just("é"),
        Just("+500k"),
        Just("!")
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn finding_never_panics(text in prop_oneof![pieces(), any::<String>()]) {
        let found = spans(&text);
        prop_assert!(found.iter().all(|(span, keyword)| &text[span.clone()] == keyword.word()));
        prop_assert!(found.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
        on(&text);
    }

    /// What is put in a fence that nothing inside can close is never found.
    #[test]
    fn nothing_is_found_in_code(text in pieces()) {
        let quoted = format!("~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n{text}");
        prop_assert_eq!(on(&quoted), Magic::default());
    }

    /// A word on a line of its own after a blank line is found, whatever is finished before it.
    #[test]
    fn a_plain_word_is_found(before in "[a-z .,!?\n]{0,40}") {
        let text = format!("{before}\n\nultrathink\n");
        prop_assert!(on(&text).ultrathink);
    }
}
