//! Whole prompts, compared with what the families document. No wire of the program sends a prompt as one text yet, so no row of
//! a contract rests on them (see docs/waiting.md).

use omp_dialects::{Dialect, RawAnswer, RawCall, RawGeneration, RawPrompt, RawResult, RawThinking, RawTurn};
use omp_types::ToolDefinition;
use serde_json::{Value, json};

use crate::support::tool;

fn described(name: &str, description: &str, parameters: Value) -> ToolDefinition {
    ToolDefinition { description: description.to_owned(), ..tool(name, parameters) }
}

fn user(text: &str) -> RawTurn {
    RawTurn::User(text.to_owned())
}

fn said(text: &str) -> RawTurn {
    RawTurn::Assistant(RawAnswer { text: text.to_owned(), ..RawAnswer::default() })
}

fn called(thinking: &str, calls: &[(&str, &str, Value)]) -> RawTurn {
    let calls = calls.iter().map(|(id, name, arguments)| RawCall {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    });
    RawTurn::Assistant(RawAnswer {
        thinking: thinking.to_owned(),
        calls: calls.collect(),
        text: String::new(),
    })
}

fn gave(results: &[(&str, &str, &str)]) -> RawTurn {
    let result = |(id, name, text): &(&str, &str, &str)| RawResult {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        text: (*text).to_owned(),
    };
    RawTurn::Results(results.iter().map(result).collect())
}

fn write(dialect: Dialect, prompt: &RawPrompt<'_>) -> String {
    dialect.write_prompt(prompt).expect("the dialect has a template")
}

fn weather() -> ToolDefinition {
    let location = json!({"type": "string", "description": "City and state, e.g. San Francisco, CA"});
    let unit = json!({"type": "string", "enum": ["celsius", "fahrenheit"]});
    let parameters = json!({"type": "object", "properties": {"location": location, "unit": unit}, "required": ["location"]});
    described("get_weather", "Get the current weather for a location", parameters)
}

const DEEPSEEK: &str = "<｜begin▁of▁sentence｜>You are a helpful assistant.

## Tools
You have access to the following tools:

### get_weather
Description: Get the current weather for a location

Parameters: {\"type\": \"object\", \"properties\": {\"location\": {\"type\": \"string\", \"description\": \"City and state, e.g. San Francisco, CA\"}, \"unit\": {\"type\": \"string\", \"enum\": [\"celsius\", \"fahrenheit\"]}}, \"required\": [\"location\"]}

IMPORTANT: ALWAYS adhere to this exact format for tool use:
<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>{additional_tool_calls}<｜tool▁calls▁end｜>

Where:
- `tool_call_name` must be an exact match to one of the available tools
- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema
- For multiple tool calls, chain them directly without separators or spaces
<｜User｜>What's the weather in San Francisco?<｜Assistant｜></think><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"location\": \"San Francisco, CA\", \"unit\": \"celsius\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁output▁begin｜>{\"temperature\": 18, \"unit\": \"celsius\", \"condition\": \"Foggy\"}<｜tool▁output▁end｜>It's currently 18°C and foggy in San Francisco.<｜end▁of▁sentence｜>";

/// The documented exchange, byte for byte; without its last answer nothing follows the result.
#[test]
fn deepseek_end_to_end() {
    let system = ["You are a helpful assistant.".to_owned()];
    let tools = [weather()];
    let turns = [
        user("What's the weather in San Francisco?"),
        called("", &[("1", "get_weather", json!({"location": "San Francisco, CA", "unit": "celsius"}))]),
        gave(&[("1", "get_weather", r#"{"temperature": 18, "unit": "celsius", "condition": "Foggy"}"#)]),
        said("It's currently 18°C and foggy in San Francisco."),
    ];
    let prompt = |turns| RawPrompt { system: &system, tools: &tools, turns, ..RawPrompt::default() };
    assert_eq!(write(Dialect::DeepSeek, &prompt(&turns)), DEEPSEEK);
    let open = write(Dialect::DeepSeek, &prompt(&turns[..3]));
    assert!(open.ends_with("<｜tool▁output▁end｜>") && DEEPSEEK.starts_with(&open));
    let both = ["One.".to_owned(), "Two.".to_owned()];
    let short =
        RawPrompt { system: &both, turns: &[user("Hi")], thinking: RawThinking::Off, ..RawPrompt::default() };
    assert_eq!(
        write(Dialect::DeepSeek, &short),
        "<｜begin▁of▁sentence｜>One.\n\nTwo.<｜User｜>Hi<｜Assistant｜></think>"
    );
}

/// The models before V3.1: results in one block, a line each; what they wrote is read again by the same scanner.
#[test]
fn deepseek_legacy_results_stand_in_one_block() {
    let place = |name: &str| json!({"location": name});
    let turns = [
        user("Weather?"),
        called(
            "",
            &[("1", "get_weather", place("San Francisco, CA")), ("2", "get_weather", place("Seattle, WA"))],
        ),
        gave(&[
            ("1", "get_weather", r#"{"temperature": 18}"#),
            ("2", "get_weather", r#"{"temperature": 14}"#),
        ]),
        said("18 and 14."),
    ];
    let tools = [weather()];
    let prompt = RawPrompt { turns: &turns, generation: RawGeneration::Legacy, ..RawPrompt::default() };
    let written = write(Dialect::DeepSeek, &prompt);
    let calls = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n\
                 {\"location\": \"San Francisco, CA\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>\
                 get_weather\n```json\n{\"location\": \"Seattle, WA\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>";
    assert_eq!(
        written,
        format!(
            "<｜begin▁of▁sentence｜><｜User｜>Weather?<｜Assistant｜>{calls}<｜end▁of▁sentence｜><｜tool▁outputs▁begin｜>\
             <｜tool▁output▁begin｜>{{\"temperature\": 18}}<｜tool▁output▁end｜>\n<｜tool▁output▁begin｜>\
             {{\"temperature\": 14}}<｜tool▁output▁end｜><｜tool▁outputs▁end｜>18 and 14.<｜end▁of▁sentence｜>"
        )
    );
    let read = crate::support::read(Dialect::DeepSeek, calls);
    let expected =
        ["San Francisco, CA", "Seattle, WA"].map(|name| crate::support::call("get_weather", place(name)));
    assert_eq!(read, expected);
    let guided = write(Dialect::DeepSeek, &RawPrompt { tools: &tools, ..prompt });
    assert!(
        guided.contains("<｜tool▁call▁begin｜>function<｜tool▁sep｜>tool_call_name\n```json\n"),
        "{guided}"
    );
    assert!(guided.contains("### get_weather\n"), "{guided}");
}

#[test]
fn deepseek_generation_prefixes() {
    let turns = [user("Hi")];
    let tools = [weather()];
    for (tools, thinking, ending) in [
        (&[][..], RawThinking::Off, "<｜User｜>Hi<｜Assistant｜></think>"),
        (&[][..], RawThinking::High, "<｜User｜>Hi<｜Assistant｜><think>"),
        (&tools[..], RawThinking::High, "<｜User｜>Hi<｜Assistant｜></think>"),
    ] {
        let prompt = RawPrompt { tools, turns: &turns, thinking, ..RawPrompt::default() };
        assert!(write(Dialect::DeepSeek, &prompt).ends_with(ending));
    }
}

/// What a stored answer holds of its thoughts is cut, once; arguments that are JSON text stay as they are.
#[test]
fn deepseek_history() {
    let turns = [
        user("a"),
        said("<think>hm</think>b </think> c"),
        user("d"),
        called("", &[("1", "x", json!("{\"a\":  1}")), ("2", "y", json!({"q": "\"z\""}))]),
    ];
    let prompt = RawPrompt { turns: &turns, ..RawPrompt::default() };
    let written = write(Dialect::DeepSeek, &prompt);
    assert!(
        written.contains("<｜User｜>a<｜Assistant｜></think>b </think> c<｜end▁of▁sentence｜>"),
        "{written}"
    );
    assert!(written.contains("x<｜tool▁sep｜>{\"a\":  1}<｜tool▁call▁end｜>"), "{written}");
    assert!(written.contains("y<｜tool▁sep｜>{\"q\": \"\\\"z\\\"\"}<｜tool▁call▁end｜>"), "{written}");
}

const GLM: &str = "[gMASK]<sop><|system|>
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"description\": \"Get current weather for a city — 天气\", \"parameters\": {\"type\": \"object\", \"properties\": {\"location\": {\"type\": \"string\", \"description\": \"City name\"}}, \"required\": [\"location\"]}}}
</tools>

For each function call, output the function name and arguments within the following XML format:
<tool_call>{function-name}
<arg_key>{arg-key-1}</arg_key>
<arg_value>{arg-value-1}</arg_value>
<arg_key>{arg-key-2}</arg_key>
<arg_value>{arg-value-2}</arg_value>
...
</tool_call><|system|>
You are a helpful assistant.<|user|>
What's the weather in Beijing?<|assistant|>
<think>The user wants the weather.</think>
<tool_call>get_weather
<arg_key>location</arg_key>
<arg_value>Beijing 北京</arg_value>
<arg_key>days</arg_key>
<arg_value>3</arg_value>
<arg_key>options</arg_key>
<arg_value>{\"词\":[1,null]}</arg_value>
</tool_call>
<tool_call>get_time
</tool_call><|observation|>
<tool_response>
{\"temperature\": 26}
</tool_response>
<tool_response>
noon
</tool_response><|assistant|>";

/// The documented second stage, with a second call and arguments of every kind.
#[test]
fn glm_end_to_end() {
    let parameters = json!({"type": "object", "properties": {"location": {"type": "string", "description": "City name"}}, "required": ["location"]});
    let tools = [described("get_weather", "Get current weather for a city — 天气", parameters)];
    let system = ["You are a helpful assistant.".to_owned()];
    let arguments = json!({"location": "Beijing 北京", "days": 3, "options": {"词": [1, null]}});
    let turns = [
        user("What's the weather in Beijing?"),
        called(
            "The user wants the weather.",
            &[("1", "get_weather", arguments), ("2", "get_time", json!({}))],
        ),
        gave(&[("1", "get_weather", "{\"temperature\": 26}"), ("2", "get_time", "noon")]),
    ];
    let prompt = RawPrompt { system: &system, tools: &tools, turns: &turns, ..RawPrompt::default() };
    assert_eq!(write(Dialect::Glm, &prompt), GLM);
}

/// Once the user has spoken again, earlier thoughts are gone; without thinking, the switch and the empty pair.
#[test]
fn glm_thoughts_are_for_one_turn() {
    let turns = [
        user("a"),
        called("old", &[("1", "x", json!({}))]),
        gave(&[("1", "x", "r")]),
        user("b"),
        called("new", &[("2", "x", json!({}))]),
    ];
    let written = write(Dialect::Glm, &RawPrompt { turns: &turns, ..RawPrompt::default() });
    assert!(!written.contains("old") && written.contains("<think></think>\n<tool_call>x"), "{written}");
    assert!(written.contains("<think>new</think>\n<tool_call>x"), "{written}");
    let silent = RawPrompt { turns: &turns[..1], thinking: RawThinking::Off, ..RawPrompt::default() };
    assert_eq!(write(Dialect::Glm, &silent), "[gMASK]<sop><|user|>\na/nothink<|assistant|>\n<think></think>");
}

const KIMI: &str = "<|im_system|>tool_declare<|im_middle|>[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"description\":\"Get weather information. Call this tool when the user needs to get weather information\",\"parameters\":{\"type\":\"object\",\"required\":[\"city\"],\"properties\":{\"city\":{\"type\":\"string\",\"description\":\"City name\"}}}}}]<|im_end|><|im_system|>system<|im_middle|>You are Kimi, an AI assistant created by Moonshot AI.<|im_end|><|im_user|>user<|im_middle|>What's the weather like in Beijing today? Use the tool to check.<|im_end|><|im_assistant|>assistant<|im_middle|><|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{\"city\": \"Beijing\"}<|tool_call_end|><|tool_calls_section_end|><|im_end|><|im_system|>get_weather<|im_middle|>## Return of functions.get_weather:0\n{\"weather\": \"Sunny\"}<|im_end|><|im_assistant|>assistant<|im_middle|>";

/// The documented second stage, byte for byte, with the default system sentence. An id of the dialect is echoed as it
/// is, any other becomes one.
#[test]
fn kimi_end_to_end() {
    let parameters = json!({"type": "object", "required": ["city"], "properties": {"city": {"type": "string", "description": "City name"}}});
    let description =
        "Get weather information. Call this tool when the user needs to get weather information";
    let tools = [described("get_weather", description, parameters)];
    for id in ["functions.get_weather:0", "call_1"] {
        let turns = [
            user("What's the weather like in Beijing today? Use the tool to check."),
            called("", &[(id, "get_weather", json!({"city": "Beijing"}))]),
            gave(&[(id, "get_weather", "{\"weather\": \"Sunny\"}")]),
        ];
        let prompt = RawPrompt { tools: &tools, turns: &turns, ..RawPrompt::default() };
        assert_eq!(write(Dialect::Kimi, &prompt), KIMI);
    }
    let turns = [called("", &[("functions.x:7", "x", json!({}))]), gave(&[("functions.x:7", "x", "r")])];
    let written = write(Dialect::Kimi, &RawPrompt { turns: &turns, ..RawPrompt::default() });
    assert_eq!(written.matches("functions.x:7").count(), 2, "{written}");
    assert!(!written.contains("tool_declare"));
}

const GEMMA: &str = "<bos><|turn>system\nYou are a helpful assistant.<|tool>declaration:get_current_weather{description:<|\"|>Gets the current weather in a given location.<|\"|>,parameters:{properties:{location:{description:<|\"|>The city and state, e.g. \"San Francisco, CA\" or \"Tokyo, JP\"<|\"|>,type:<|\"|>STRING<|\"|>},unit:{description:<|\"|>The unit to return the temperature in.<|\"|>,enum:[<|\"|>celsius<|\"|>,<|\"|>fahrenheit<|\"|>],type:<|\"|>STRING<|\"|>}},required:[<|\"|>location<|\"|>],type:<|\"|>OBJECT<|\"|>}}<tool|><turn|>\n<|turn>user\nHey, what's the weather in Tokyo right now?<turn|>\n<|turn>model\n<|tool_call>call:get_current_weather{location:<|\"|>Tokyo, JP<|\"|>}<tool_call|><|tool_response>response:get_current_weather{temperature:15,weather:<|\"|>sunny<|\"|>}<tool_response|>The current weather in Tokyo is 15 degrees Celsius and sunny.<turn|>";

/// The documented rendering, but for the spaces between its braces, which mean nothing.
#[test]
fn gemma_end_to_end() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "location": {"type": "string", "description": "The city and state, e.g. \"San Francisco, CA\" or \"Tokyo, JP\""},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "The unit to return the temperature in."},
        },
        "required": ["location"],
    });
    let tools =
        [described("get_current_weather", "Gets the current weather in a given location.", parameters)];
    let system = ["You are a helpful assistant.".to_owned()];
    let turns = [
        user("Hey, what's the weather in Tokyo right now?"),
        called("", &[("1", "get_current_weather", json!({"location": "Tokyo, JP"}))]),
        gave(&[("1", "get_current_weather", "{\"temperature\": 15, \"weather\": \"sunny\"}")]),
        said("The current weather in Tokyo is 15 degrees Celsius and sunny."),
    ];
    let prompt = RawPrompt {
        system: &system,
        tools: &tools,
        turns: &turns,
        thinking: RawThinking::Off,
        ..RawPrompt::default()
    };
    assert_eq!(write(Dialect::Gemma, &prompt), GEMMA);
}

#[test]
fn gemma_thoughts_stay_with_calls() {
    let mut answer = RawAnswer { thinking: "gone".into(), text: "A.".into(), calls: Vec::new() };
    let turns = [user("q"), RawTurn::Assistant(answer.clone()), user("r")];
    let written = write(Dialect::Gemma, &RawPrompt { turns: &turns, ..RawPrompt::default() });
    assert!(
        !written.contains("gone") && written.starts_with("<bos><|turn>system\n<|think|><turn|>"),
        "{written}"
    );
    answer.text.clear();
    answer.calls.push(RawCall { id: "1".into(), name: "x".into(), arguments: json!({}) });
    let turns = [user("q"), RawTurn::Assistant(answer), gave(&[("1", "x", "ok")])];
    let written = write(Dialect::Gemma, &RawPrompt { turns: &turns, ..RawPrompt::default() });
    assert!(
        written.ends_with("<tool_call|><|channel>thought\ngone\n<channel|><|tool_response>response:x{output:<|\"|>ok<|\"|>}<tool_response|>"),
        "{written}"
    );
}

/// Two roles, in the turns of Gemma 3.
#[test]
fn gemini_roles() {
    let system = ["Be brief.".to_owned()];
    let turns = [user("q"), called("", &[("1", "x", json!({"a": 1}))]), gave(&[("1", "x", "r")])];
    let prompt = RawPrompt { system: &system, turns: &turns, ..RawPrompt::default() };
    assert_eq!(
        write(Dialect::Gemini, &prompt),
        "<bos><start_of_turn>user\nBe brief.\n\nq<end_of_turn>\n<start_of_turn>model\n```tool_code\nx(a=1)\n```<end_of_turn>\n<start_of_turn>user\n```tool_outputs\nr\n```<end_of_turn>\n<start_of_turn>model\n"
    );
}

const HARMONY: &str = "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.
Knowledge cutoff: 2024-06
Current date: 2025-06-28

Reasoning: high

# Valid channels: analysis, commentary, final. Channel must be included for every message.
Calls to these tools must go to the commentary channel: 'functions'.<|end|><|start|>developer<|message|># Instructions

Use a friendly tone.

# Tools

## functions

namespace functions {

// Gets the location of the user.
type get_location = () => any;

// Gets the current weather in the provided location.
type get_current_weather = (_: {
// The city and state, e.g. San Francisco, CA
location: string,
format?: \"celsius\" | \"fahrenheit\", // default: celsius
}) => any;

} // namespace functions<|end|><|start|>user<|message|>What is the weather like in SF?<|end|><|start|>assistant<|channel|>analysis<|message|>User wants the weather in San Francisco. Use get_current_weather.<|end|><|start|>assistant<|channel|>commentary to=functions.get_current_weather<|message|>{\"location\":\"San Francisco, CA\"}<|call|><|start|>functions.get_current_weather to=assistant<|channel|>commentary<|message|>{\"sunny\": true, \"temperature\": 20}<|end|><|start|>assistant";

fn harmony_tools() -> Vec<ToolDefinition> {
    let format = json!({"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"});
    let location = json!({"type": "string", "description": "The city and state, e.g. San Francisco, CA"});
    let parameters = json!({"type": "object", "properties": {"location": location, "format": format}, "required": ["location"]});
    vec![
        described(
            "get_location",
            "Gets the location of the user.",
            json!({"type": "object", "properties": {}}),
        ),
        described("get_current_weather", "Gets the current weather in the provided location.", parameters),
    ]
}

/// The documented exchange up to the result of the call.
#[test]
fn harmony_end_to_end() {
    let system = ["Use a friendly tone.".to_owned()];
    let tools = harmony_tools();
    let turns = [
        user("What is the weather like in SF?"),
        called(
            "User wants the weather in San Francisco. Use get_current_weather.",
            &[("1", "get_current_weather", json!({"location": "San Francisco, CA"}))],
        ),
        gave(&[("1", "get_current_weather", "{\"sunny\": true, \"temperature\": 20}")]),
    ];
    let mut prompt = RawPrompt {
        system: &system,
        tools: &tools,
        turns: &turns,
        thinking: RawThinking::High,
        date: Some("2025-06-28"),
        ..RawPrompt::default()
    };
    assert_eq!(write(Dialect::Harmony, &prompt), HARMONY);
    prompt.system = &[];
    prompt.thinking = RawThinking::Low;
    let bare = write(Dialect::Harmony, &prompt);
    assert!(
        bare.contains("<|start|>developer<|message|># Tools\n\n## functions")
            && bare.contains("Reasoning: low")
    );
    prompt.tools = &[];
    let none = write(Dialect::Harmony, &prompt);
    assert!(!none.contains("developer") && !none.contains("commentary channel: 'functions'"), "{none}");
}

/// A stored answer ends like any message; thoughts before it are dropped, those before a call are kept.
#[test]
fn harmony_history() {
    let call = called("thought before a call", &[("1", "x", json!({}))]);
    let mut turns = vec![user("q"), call, gave(&[("1", "x", "r")])];
    let open = write(Dialect::Harmony, &RawPrompt { turns: &turns, ..RawPrompt::default() });
    assert!(open.contains("<|channel|>analysis<|message|>thought before a call<|end|>"), "{open}");
    turns.push(RawTurn::Assistant(RawAnswer {
        thinking: "last thought".into(),
        text: "Done.".into(),
        calls: Vec::new(),
    }));
    turns.push(user("next"));
    let closed = write(Dialect::Harmony, &RawPrompt { turns: &turns, ..RawPrompt::default() });
    assert!(!closed.contains("<|channel|>analysis"), "{closed}");
    assert!(
        closed.contains("<|channel|>final<|message|>Done.<|end|>") && !closed.contains("<|return|>"),
        "{closed}"
    );
}

/// Each rule from schema to TypeScript, and the blank line between functions.
#[test]
fn harmony_types() {
    let properties = json!({
        "count": {"type": "integer", "title": "COUNT", "description": "How many.\nReally.", "default": 3},
        "names": {"type": "array", "items": {"type": "string"}, "examples": ["a", "b"]},
        "mode": {"enum": ["x", 1]},
        "one": {"oneOf": [{"type": "string"}, {"type": "number"}]},
        "maybe": {"type": ["string", "null"]},
        "any": {},
        "mixed": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}},
        "inner": {"type": "object", "properties": {"k": {"type": "boolean"}}, "required": ["k"]},
    });
    let tools = [
        described(
            "f",
            "Does it.",
            json!({"type": "object", "properties": properties, "required": ["names"]}),
        ),
        described("g", "", json!({"type": "object"})),
    ];
    let written = write(Dialect::Harmony, &RawPrompt { tools: &tools, ..RawPrompt::default() });
    let expected = "// Does it.
type f = (_: {
// COUNT
//
// How many.
// Really.
count?: number, // default: 3
// Examples:
// - \"a\"
// - \"b\"
names: string[],
mode?: \"x\" | 1,
one?:
 | string
 | number,
maybe?: string | null,
any?: any,
mixed?: (string | boolean)[],
inner?: {
k: boolean,
},
}) => any;

type g = () => any;

} // namespace functions";
    assert!(written.contains(expected), "{written}");
}
