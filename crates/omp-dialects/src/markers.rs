//! Which literals stand out in the text of each dialect.

use super::Dialect;
use super::prose::{Action, Marker, MarkerPlace, Opening};

pub(crate) fn of(dialect: Dialect) -> &'static [Marker] {
    match dialect {
        Dialect::Anthropic | Dialect::Xml | Dialect::Minimax => &XML,
        Dialect::DeepSeek => &DEEPSEEK,
        Dialect::Gemini => &GEMINI,
        Dialect::Gemma => &GEMMA,
        Dialect::Glm => &GLM,
        Dialect::Harmony => &HARMONY,
        Dialect::Kimi => &KIMI,
        Dialect::Qwen3 => &QWEN3,
    }
}

const fn open(literal: &'static str, opening: Opening) -> Marker {
    Marker { literal, place: MarkerPlace::Anywhere, action: Action::Open(opening) }
}

const fn reopen(literal: &'static str, opening: Opening) -> Marker {
    Marker { literal, place: MarkerPlace::Anywhere, action: Action::Reopen(opening) }
}

const fn drop(literal: &'static str) -> Marker {
    Marker { literal, place: MarkerPlace::Anywhere, action: Action::Drop }
}

const fn fabricated(literal: &'static str) -> Marker {
    Marker { literal, place: MarkerPlace::Anywhere, action: Action::Fabricated }
}

const fn stop(literal: &'static str) -> Marker {
    Marker { literal, place: MarkerPlace::Anywhere, action: Action::Stop }
}

/// In an ordinary answer, markup that is quoted is meant to be read.
const fn outside_code(marker: Marker) -> Marker {
    Marker { place: MarkerPlace::OutsideCode, ..marker }
}

const THINK: Marker = outside_code(open("<think>", Opening::Thought("</think>")));
/// Templates that open the thought themselves leave its end to be found before the first word.
const LEADING_THINK_END: Marker =
    Marker { literal: "</think>", place: MarkerPlace::Beginning, action: Action::Drop };

static XML: [Marker; 16] = [
    open("<function_calls>", Opening::Xml),
    open(concat!("<antml", ":function_calls>"), Opening::Xml),
    open("<minimax:tool_call>", Opening::Xml),
    open("<tool_calls>", Opening::Xml),
    drop("</function_calls>"),
    drop(concat!("</antml", ":function_calls>")),
    drop("</minimax:tool_call>"),
    drop("</tool_calls>"),
    // A call outside of any block: models forget the block, and nothing is done with it.
    reopen("<invoke name=", Opening::Xml),
    reopen(concat!("<antml", ":invoke name="), Opening::Xml),
    fabricated("<function_results>"),
    fabricated(concat!("<antml", ":function_results>")),
    fabricated("<tool_response>"),
    outside_code(open("<thinking>", Opening::Thought("</thinking>"))),
    THINK,
    LEADING_THINK_END,
];

static DEEPSEEK: [Marker; 17] = [
    open("<\u{ff5c}tool\u{2581}calls\u{2581}begin\u{ff5c}>", Opening::DeepSeek),
    reopen("<\u{ff5c}tool\u{2581}call\u{2581}begin\u{ff5c}>", Opening::DeepSeek),
    drop("<\u{ff5c}tool\u{2581}calls\u{2581}end\u{ff5c}>"),
    fabricated("<\u{ff5c}tool\u{2581}output\u{2581}begin\u{ff5c}>"),
    fabricated("<\u{ff5c}tool\u{2581}outputs\u{2581}begin\u{ff5c}>"),
    drop("<\u{ff5c}begin\u{2581}of\u{2581}sentence\u{ff5c}>"),
    drop("<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>"),
    drop("<\u{ff5c}User\u{ff5c}>"),
    drop("<\u{ff5c}Assistant\u{ff5c}>"),
    drop("<\u{ff5c}fim\u{2581}hole\u{ff5c}>"),
    drop("<\u{ff5c}fim\u{2581}begin\u{ff5c}>"),
    drop("<\u{ff5c}fim\u{2581}end\u{ff5c}>"),
    drop("<\u{ff5c}search\u{2581}begin\u{ff5c}>"),
    drop("<\u{ff5c}search\u{2581}end\u{ff5c}>"),
    drop("<\u{ff5c}\u{2581}pad\u{2581}\u{ff5c}>"),
    THINK,
    LEADING_THINK_END,
];

static GEMINI: [Marker; 5] = [
    open("```tool_code", Opening::Python),
    fabricated("```tool_outputs"),
    open("```thinking", Opening::FencedThought),
    drop("<start_of_turn>"),
    drop("<end_of_turn>"),
];

static GEMMA: [Marker; 9] = [
    open("<|tool_call>", Opening::Gemma),
    drop("<tool_call|>"),
    fabricated("<|tool_response>"),
    open("<|channel>", Opening::GemmaChannel),
    drop("<|think|>"),
    drop("<|turn>"),
    drop("<turn|>"),
    drop("<bos>"),
    drop("<eos>"),
];

static GLM: [Marker; 9] = [
    open("<tool_call>", Opening::Glm),
    drop("</tool_call>"),
    fabricated("<tool_response>"),
    fabricated("<|observation|>"),
    drop("<|assistant|>"),
    stop("<|user|>"),
    stop("<|endoftext|>"),
    THINK,
    LEADING_THINK_END,
];

static QWEN3: [Marker; 6] = [
    open("<tool_call>", Opening::Hermes),
    drop("</tool_call>"),
    fabricated("<tool_response>"),
    stop("<|im_end|>"),
    THINK,
    LEADING_THINK_END,
];

static HARMONY: [Marker; 7] = [
    open("<|start|>", Opening::Harmony),
    reopen("<|channel|>", Opening::Harmony),
    stop("<|call|>"),
    stop("<|return|>"),
    drop("<|end|>"),
    drop("<|message|>"),
    drop("<|constrain|>"),
];

static KIMI: [Marker; 9] = [
    open("<|tool_calls_section_begin|>", Opening::Kimi),
    reopen("<|tool_call_begin|>", Opening::Kimi),
    drop("<|tool_calls_section_end|>"),
    fabricated("<|im_system|>"),
    stop("<|im_end|>"),
    stop("<|im_user|>"),
    drop("<|im_assistant|>assistant<|im_middle|>"),
    THINK,
    LEADING_THINK_END,
];

pub(crate) static HEALING: [Marker; 11] = [
    outside_code(open("<|tool_calls_section_begin|>", Opening::Kimi)),
    outside_code(reopen("<|tool_call_begin|>", Opening::Kimi)),
    outside_code(drop("<|tool_calls_section_end|>")),
    outside_code(open("<\u{ff5c}DSML\u{ff5c}tool_calls>", Opening::Xml)),
    outside_code(open("<\u{ff5c}DSML\u{ff5c}function_calls>", Opening::Xml)),
    outside_code(open("<|DSML|tool_calls>", Opening::Xml)),
    outside_code(open("<|DSML|function_calls>", Opening::Xml)),
    outside_code(open("<\u{ff5c}tool\u{2581}calls\u{2581}begin\u{ff5c}>", Opening::DeepSeek)),
    outside_code(drop("<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>")),
    outside_code(open("<thinking>", Opening::Thought("</thinking>"))),
    THINK,
];
