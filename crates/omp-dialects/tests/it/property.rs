//! What holds for every dialect: chunks do not matter, markers do not show, nothing unfinished runs.

use omp_dialects::{Dialect, Scanner};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Seen, check_truncation, read, scan, scanner, text, thought, tools};

/// For each dialect: pieces from which any markup, sense or nonsense, can be put together.
fn fragments(dialect: Dialect) -> Vec<&'static str> {
    let own: &[&str] = match dialect {
        Dialect::Anthropic | Dialect::Xml | Dialect::Minimax => &[
            "<function_calls>",
            "</function_calls>",
            "<invoke name=\"grep\">",
            "<invoke>",
            "</invoke>",
            "<parameter name=\"path\">",
            "<parameter name=\"limit\">",
            "</parameter>",
            "<tool_name>",
            "</tool_name>",
            "<function_results>",
            "<minimax:tool_call>",
            "</minimax:tool_call>",
        ],
        Dialect::DeepSeek => &[
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁calls▁end｜>",
            "<｜tool▁call▁begin｜>",
            "<｜tool▁call▁end｜>",
            "<｜tool▁sep｜>",
            "function",
            "grep",
            "```json\n",
            "\n```",
            "<｜tool▁output▁begin｜>",
            "<｜User｜>",
        ],
        Dialect::Gemini => &[
            "```tool_code\n",
            "```tool_code",
            "\n```\n",
            "```",
            "```thinking\n",
            "```rs\n",
            "```tool_outputs",
            "read(path='a')",
            "print(default_api.",
            "\"\"\"",
            "[",
            "]",
        ],
        Dialect::Gemma => &[
            "<|tool_call>",
            "<tool_call|>",
            "call:grep{",
            "path:",
            "<|\"|>",
            "}",
            "<|channel>thought\n",
            "\n<channel|>",
            "<|tool_response>",
            "<turn|>",
        ],
        Dialect::Glm | Dialect::Qwen3 => &[
            "<tool_call>",
            "</tool_call>",
            "grep",
            "<arg_key>",
            "path",
            "</arg_key>",
            "<arg_value>",
            "</arg_value>",
            "<tool_response>",
            "{\"name\": \"grep\", \"arguments\": {}}",
            "<|user|>",
        ],
        Dialect::Harmony => &[
            "<|start|>",
            "assistant",
            "<|channel|>",
            "analysis",
            "final",
            "commentary to=functions.grep",
            "<|constrain|>json",
            "<|message|>",
            "<|end|>",
            "<|call|>",
            "<|return|>",
            "functions.grep to=assistant",
        ],
        Dialect::Kimi => &[
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_begin|>",
            "functions.grep:0",
            "<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
            "<|im_system|>",
            "<|im_end|>",
        ],
    };
    let common = [
        "{}",
        "{\"path\": \"a\",}",
        " ",
        "\n",
        "words ü",
        "<",
        "<|",
        "`",
        "```",
        "<think>",
        "</think>",
        ">",
        "\\",
    ];
    own.iter().copied().chain(common).collect()
}

fn cut<'t>(markup: &'t str, cuts: &[usize]) -> Vec<&'t str> {
    let mut at: Vec<usize> =
        cuts.iter().copied().filter(|&cut| cut < markup.len() && markup.is_char_boundary(cut)).collect();
    at.extend([0, markup.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &markup[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Any markup in any chunks gives what it gives as a whole, in every dialect and when healing.
    // proves: WIR-048, WIR-114, WIR-140
    #[test]
    fn chunks_never_matter(
        dialect in prop::sample::select(Dialect::ALL.to_vec()),
        picks in prop::collection::vec(0..1000_usize, 0..30),
        cuts in prop::collection::vec(0_usize..400, 0..12),
    ) {
        let fragments = fragments(dialect);
        let markup: String = picks.into_iter().map(|pick| fragments[pick % fragments.len()]).collect();
        let parts = cut(&markup, &cuts);
        prop_assert_eq!(scan(scanner(dialect), parts.clone()), scan(scanner(dialect), [markup.as_str()]));
        let healer = || Scanner::healer(tools());
        prop_assert_eq!(scan(healer(), parts), scan(healer(), [markup.as_str()]));
    }

    /// Plain words come out as they went in.
    #[test]
    fn words_stay_words(words in "[a-z <>`\\n.]{0,200}\\.") {
        // Chance writes markers, too.
        let markers = ["<bos>", "<eos>", "<think>", "<thinking>", "<tools>"];
        prop_assume!(!markers.iter().any(|marker| words.contains(marker)));
        for dialect in Dialect::ALL {
            let seen = scan(scanner(dialect), [words.as_str()]);
            prop_assert_eq!(seen, vec![text(&words)]);
        }
    }
}

/// A complete answer of each dialect, its closers, and what must never show.
fn answers() -> Vec<(Dialect, &'static str, &'static [&'static str], &'static [&'static str])> {
    vec![
        (
            Dialect::Anthropic,
            "Look.\n<function_calls>\n<invoke name=\"grep\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</function_calls>",
            &["</invoke>"],
            &["<fu", "<in", "<pa", "grep"],
        ),
        (
            Dialect::DeepSeek,
            "Look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>grep<｜tool▁sep｜>{\"path\": \"a\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            &["<｜tool▁call▁end｜>"],
            &["<｜", "grep", "path"],
        ),
        (Dialect::Gemini, "Look.\n```tool_code\ngrep(path='a')\n```", &["\n```"], &["tool", "grep", "path"]),
        (
            Dialect::Gemma,
            "Look.\n<|tool_call>call:grep{path:<|\"|>a<|\"|>}<tool_call|>",
            &["<tool_call|>"],
            &["<|t", "grep", "path"],
        ),
        (
            Dialect::Glm,
            "Look.\n<tool_call>grep\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
            &["</tool_call>"],
            &["<to", "grep", "path"],
        ),
        (
            Dialect::Harmony,
            "<|channel|>final<|message|>Look.\n<|end|><|start|>assistant<|channel|>commentary to=functions.grep<|message|>{\"path\":\"a\"}<|call|>",
            &["<|call|>"],
            &["<|s", "<|c", "<|m", "grep", "final"],
        ),
        (
            Dialect::Kimi,
            "Look.\n<|tool_calls_section_begin|><|tool_call_begin|>functions.grep:0<|tool_call_argument_begin|>{\"path\": \"a\"}<|tool_call_end|><|tool_calls_section_end|>",
            &["<|tool_call_end|>"],
            &["<|t", "grep", "path"],
        ),
        (
            Dialect::Qwen3,
            "Look.\n<tool_call>\n{\"name\": \"grep\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
            &["</tool_call>"],
            &["<to", "grep", "path"],
        ),
        (
            Dialect::Minimax,
            "Look.\n<minimax:tool_call>\n<invoke name=\"grep\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</minimax:tool_call>",
            &["</invoke>"],
            &["<mi", "<in", "<pa", "grep"],
        ),
    ]
}

// proves: WIR-049
#[test]
fn truncation_never_leaks_and_never_runs() {
    for (dialect, answer, closers, fragments) in answers() {
        check_truncation(dialect, answer, closers, fragments);
        let seen = read(dialect, answer);
        assert_eq!(seen[0], text("Look.\n"), "{dialect:?}");
        let is_grep = |seen: &Seen| matches!(seen, Seen::Call { name, arguments, .. } if name == "grep" && *arguments == json!({"path": "a"}));
        assert_eq!(seen.iter().filter(|seen| is_grep(seen)).count(), 1, "{dialect:?}: {seen:?}");
        // Cut just before the closer: reported, by name.
        let cut = answer.rfind(closers[0]).unwrap();
        let seen = scan(scanner(dialect), [&answer[..cut]]);
        assert_eq!(seen.last(), Some(&Seen::Truncated { name: "grep".into() }), "{dialect:?}: {seen:?}");
    }
}

/// What begins a result ends the answer, and what follows is gone.
// proves: WIR-053
#[test]
fn invented_results_end_the_answer() {
    for (dialect, opener) in [
        (Dialect::Anthropic, "<function_results>"),
        (Dialect::Xml, "<tool_response>"),
        (Dialect::Minimax, "<function_results>"),
        (Dialect::DeepSeek, "<｜tool▁output▁begin｜>"),
        (Dialect::DeepSeek, "<｜tool▁outputs▁begin｜>"),
        (Dialect::Gemini, "```tool_outputs"),
        (Dialect::Gemma, "<|tool_response>"),
        (Dialect::Glm, "<tool_response>"),
        (Dialect::Glm, "<|observation|>"),
        (Dialect::Harmony, "<|start|>functions."),
        (Dialect::Kimi, "<|im_system|>"),
        (Dialect::Qwen3, "<tool_response>"),
    ] {
        let (_, answer, ..) = answers().into_iter().find(|(of, ..)| *of == dialect).unwrap_or(answers()[0]);
        let call = if dialect == Dialect::Harmony { "" } else { answer };
        let before = read(dialect, &format!("{call}\nSo: "));
        let seen = read(dialect, &format!("{call}\nSo: {opener}grep lies {answer}"));
        assert_eq!(seen[..seen.len() - 1], before[..], "{dialect:?}");
        assert_eq!(seen.last(), Some(&Seen::Fabricated), "{dialect:?}");
    }
}

/// Reasoning is never shown as words, whatever it looks like in the dialect.
// proves: WIR-056
#[test]
fn reasoning_is_told_from_words() {
    for dialect in Dialect::ALL {
        let markup = match dialect {
            Dialect::Harmony => "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hi.<|end|>".to_owned(),
            other => format!("{}Hi.", other.write_thought("hm").trim_end_matches('\n')),
        };
        let markup = if dialect == Dialect::Gemini { "```thinking\nhm\n```\nHi.".to_owned() } else { markup };
        assert_eq!(read(dialect, &markup), [thought("hm"), text("Hi.")], "{dialect:?}");
    }
}

/// A tag that is quoted is meant to be read.
// proves: WIR-057
#[test]
fn quoted_tags_are_words() {
    for dialect in [Dialect::Anthropic, Dialect::DeepSeek, Dialect::Glm, Dialect::Kimi, Dialect::Qwen3] {
        for words in [
            "The tag `<think>` opens it.",
            "Use ``a ` <think>`` here.",
            "```html\n<think>x</think>\n```\nSo.",
            "  ```\n`<think>`\n  ```",
        ] {
            assert_eq!(read(dialect, words), [text(words)], "{dialect:?}: {words}");
        }
        // A backtick that nothing closes holds for its line only, a span that is closed for itself.
        assert_eq!(read(dialect, "a ` b\n<think>c</think>d"), [text("a ` b\n"), thought("c"), text("d")]);
        assert_eq!(read(dialect, "`a`<think>c</think>"), [text("`a`"), thought("c")]);
    }
}

/// Families, by the ids that providers use.
// proves: WIR-045
#[test]
fn families_have_their_dialect() {
    for (id, dialect) in [
        ("claude-sonnet-4-5", Dialect::Anthropic),
        ("anthropic/claude-3.5-haiku", Dialect::Anthropic),
        ("zai-org/GLM-4.6", Dialect::Glm),
        ("gemini-3-pro", Dialect::Gemini),
        ("gemma-3-27b-it", Dialect::Gemini),
        ("gemma-4-E2B-it", Dialect::Gemma),
        ("moonshotai/Kimi-K2-Instruct", Dialect::Kimi),
        ("Qwen3-Coder", Dialect::Qwen3),
        ("deepseek-chat", Dialect::DeepSeek),
        ("MiniMax-M2", Dialect::Minimax),
        ("gpt-oss-120b", Dialect::Harmony),
        ("gpt-5.2", Dialect::Harmony),
        ("mistral-small", Dialect::Xml),
    ] {
        assert_eq!(Dialect::of_model(id), dialect, "{id}");
    }
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::parse(dialect.name()), Some(dialect));
    }
}
