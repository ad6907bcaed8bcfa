//! The server of the official conformance suite (`tools/mcp/conformance-server`): the tools, resources and prompts that its
//! scenarios ask for, behind the same `server` module as `omp mcp serve`. Prints its address and its token.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_mcp::host::Speaker;
use omp_mcp::items::{PromptArgument, ToolHints};
use omp_mcp::server::{
    Answer, Backend, Change, Client, Features, HttpServer, Identity, LogLevel, PromptText, Question, Refusal,
    ResourcePage, ToolCall, Unanswered, new_token,
};
use omp_mcp::{
    Content, Progress, Prompt, PromptTurn, Resource, ResourceBody, ResourceData, ResourceTemplate, Tool,
    ToolResult,
};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// No sound at all.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const TOOLS: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_error_handling",
    "test_tool_with_progress",
    "test_sampling",
    "test_elicitation",
    "test_streaming_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

struct Fixture {
    changes: broadcast::Sender<Change>,
}

fn form(message: &str, properties: Value, required: Value) -> Question {
    let parts = [("type", Value::from("object")), ("properties", properties), ("required", required)];
    Question::Form { message: message.to_owned(), schema: Value::from_iter(parts) }
}

fn name_form() -> Question {
    form("What is your name?", json!({"name": {"type": "string"}}), json!(["name"]))
}

fn sample(prompt: &str, max_tokens: u32) -> Question {
    Question::Sample { prompt: prompt.to_owned(), max_tokens }
}

fn text(text: impl Into<String>) -> ToolResult {
    ToolResult { content: vec![Content::Text(text.into())], ..ToolResult::default() }
}

fn image() -> Content {
    Content::Image { mime_type: "image/png".to_owned(), data: PNG.to_owned() }
}

fn body(uri: &str, mime_type: &str, text: &str) -> ResourceBody {
    ResourceBody {
        uri: uri.to_owned(),
        mime_type: Some(mime_type.to_owned()),
        data: ResourceData::Text(text.to_owned()),
    }
}

fn refused(unanswered: Unanswered) -> Refusal {
    match unanswered {
        Unanswered::Unsupported(question) => Refusal::ClientCannot(question),
        Unanswered::Failed(why) => Refusal::Failed(why),
    }
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Accepted(content) => format!("action=accept, content={content}"),
        Answer::Declined => "action=decline".to_owned(),
        Answer::Cancelled => "action=cancel".to_owned(),
        Answer::Other(value) => value.to_string(),
    }
}

async fn ask(client: &Client, key: &str, question: Question) -> Result<String, Refusal> {
    client.ask(key, question).await.map(|answer| said(&answer)).map_err(refused)
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

async fn logging(client: &Client) -> ToolResult {
    for step in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        client.log(LogLevel::Info, step);
        pause().await;
    }
    text("logged")
}

async fn progressing(client: &Client) -> ToolResult {
    for step in [0, 50, 100] {
        client.progress(Progress { progress: step.into(), total: Some(100.0), message: None });
        pause().await;
    }
    text("done")
}

fn enums() -> Value {
    let titled = |noun: &str| {
        let option = |(number, ordinal): (usize, &str)| json!({"const": format!("value{}", number + 1), "title": format!("{ordinal} {noun}")});
        Value::Array(["First", "Second", "Third"].into_iter().enumerate().map(option).collect())
    };
    json!({
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    })
}

fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    })
}

/// Tools that ask.
async fn asking(tool: &str, arguments: &Map<String, Value>, client: &Client) -> Result<ToolResult, Refusal> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let strings = |names: &[&str]| -> Value {
        Value::Object(names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect())
    };
    let told = match tool {
        "test_sampling" => {
            let answer = ask(client, "sample", sample(given("prompt"), 100)).await?;
            format!("LLM response: {answer}")
        }
        "test_elicitation" | "test_streaming_elicitation" => {
            let wanted =
                form(given("message"), strings(&["username", "email"]), json!(["username", "email"]));
            format!("User response: {}", ask(client, "user", wanted).await?)
        }
        "test_elicitation_sep1034_defaults" => {
            format!(
                "Elicitation completed: {}",
                ask(client, "d", form("Defaults", defaults(), json!([]))).await?
            )
        }
        "test_elicitation_sep1330_enums" => {
            format!("Elicitation completed: {}", ask(client, "e", form("Enums", enums(), json!([]))).await?)
        }
        "test_missing_capability" => ask(client, "s", sample("Anything", 10)).await?,
        "test_input_required_result_elicitation" => {
            match client.ask("user_name", name_form()).await.map_err(refused)? {
                Answer::Accepted(content) => {
                    format!("Hello, {}!", content["name"].as_str().unwrap_or_default())
                }
                other => said(&other),
            }
        }
        "test_input_required_result_sampling" => {
            ask(client, "capital_question", sample("What is the capital of France?", 100)).await?
        }
        "test_input_required_result_list_roots" => ask(client, "client_roots", Question::Roots).await?,
        "test_input_required_result_multi_round" => {
            let first = form("Step 1: What is your name?", strings(&["name"]), json!(["name"]));
            let second = form("Step 2: What is your favorite color?", strings(&["color"]), json!(["color"]));
            let name = ask(client, "step1", first).await?;
            format!("{name}, {}", ask(client, "step2", second).await?)
        }
        "test_input_required_result_multiple_inputs" => {
            let questions = BTreeMap::from([
                ("user_name".to_owned(), name_form()),
                ("greeting".to_owned(), sample("Generate a greeting", 50)),
                ("client_roots".to_owned(), Question::Roots),
            ]);
            let answers = client.ask_all(questions).await.map_err(refused)?;
            answers.values().map(said).collect::<Vec<_>>().join("\n")
        }
        "test_input_required_result_capabilities" => match client.answers(&name_form()) {
            true => ask(client, "user_name", name_form()).await?,
            false => ask(client, "question", sample("Anything?", 10)).await?,
        },
        _ => {
            let wanted = form("Please confirm", json!({"ok": {"type": "boolean"}}), json!(["ok"]));
            format!("state-ok: {}", ask(client, "confirm", wanted).await?)
        }
    };
    Ok(text(told))
}

/// A schema with everything that the newest revision allows.
fn rich_tool() -> Tool {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    });
    tool("json_schema_2020_12_tool", schema)
}

fn header_tool() -> Tool {
    let header = |name: &str| json!({"type": "string", "x-mcp-header": name});
    let schema =
        json!({"type": "object", "properties": {"region": header("Region"), "query": {"type": "string"}}});
    tool("test_x_mcp_header", schema)
}

fn tool(name: &str, schema: Value) -> Tool {
    let Value::Object(schema) = schema else { unreachable!("schemas are objects") };
    Tool {
        server: "fixture".to_owned(),
        name: name.to_owned(),
        title: None,
        description: Some(format!("{name} of the conformance suite")),
        input_schema: Arc::new(schema),
        output_schema: None,
        hints: ToolHints::default(),
    }
}

fn prompt(name: &str, arguments: &[&str]) -> Prompt {
    let argument = |name: &&str| PromptArgument {
        name: (*name).to_owned(),
        description: Some("An argument".to_owned()),
        required: true,
    };
    Prompt {
        name: name.to_owned(),
        title: None,
        description: Some(format!("{name} of the conformance suite")),
        arguments: arguments.iter().map(argument).collect(),
    }
}

fn turns(contents: Vec<Content>) -> PromptText {
    let turn = |content| PromptTurn { speaker: Speaker::User, content };
    PromptText { description: None, turns: contents.into_iter().map(turn).collect() }
}

fn resource(uri: &str, mime_type: &str) -> Resource {
    Resource {
        uri: uri.to_owned(),
        name: uri.to_owned(),
        title: None,
        description: Some("A resource of the conformance suite".to_owned()),
        mime_type: Some(mime_type.to_owned()),
        size: None,
    }
}

impl Backend for Fixture {
    fn identity(&self) -> Identity {
        Identity {
            name: "omp-fixture".to_owned(),
            title: "Fixture".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
        }
    }

    fn features(&self) -> Features {
        Features {
            changing_tools: true,
            resources: true,
            subscriptions: true,
            prompts: true,
            completions: true,
            logging: true,
        }
    }

    fn tools(&self) -> Vec<Tool> {
        let plain = TOOLS.iter().map(|name| tool(name, json!({"type": "object", "properties": {}})));
        plain.chain([rich_tool(), header_tool()]).collect()
    }

    fn call(&self, call: ToolCall, client: Client) -> BoxFuture<'_, Result<ToolResult, Refusal>> {
        Box::pin(async move {
            let embedded =
                |body| ToolResult { content: vec![Content::Resource(body)], ..ToolResult::default() };
            Ok(match call.name.as_str() {
                "test_simple_text" => text("This is a simple text response for testing."),
                "test_image_content" => ToolResult { content: vec![image()], ..ToolResult::default() },
                "test_audio_content" => {
                    let audio = Content::Audio { mime_type: "audio/wav".to_owned(), data: WAV.to_owned() };
                    ToolResult { content: vec![audio], ..ToolResult::default() }
                }
                "test_embedded_resource" => embedded(body(
                    "test://embedded-resource",
                    "text/plain",
                    "This is an embedded resource content.",
                )),
                "test_multiple_content_types" => {
                    let data = r#"{"test":"data","value":123}"#;
                    let resource = body("test://mixed-content-resource", "application/json", data);
                    let words = Content::Text("Multiple content types test:".to_owned());
                    ToolResult {
                        content: vec![words, image(), Content::Resource(resource)],
                        ..ToolResult::default()
                    }
                }
                "test_tool_with_logging" | "test_logging_tool" => logging(&client).await,
                "test_tool_with_progress" => progressing(&client).await,
                "test_error_handling" => ToolResult {
                    is_error: true,
                    ..text("This tool intentionally returns an error for testing")
                },
                "test_trigger_tool_change" => {
                    let _ = self.changes.send(Change::Tools);
                    text("changed")
                }
                "test_trigger_prompt_change" => {
                    let _ = self.changes.send(Change::Prompts);
                    text("changed")
                }
                "json_schema_2020_12_tool" | "test_x_mcp_header" => {
                    text(Value::Object(call.arguments).to_string())
                }
                asks => asking(asks, &call.arguments, &client).await?,
            })
        })
    }

    fn resources(&self, _: Option<String>) -> BoxFuture<'_, Result<ResourcePage, Refusal>> {
        let resources = vec![
            resource("test://static-text", "text/plain"),
            resource("test://static-binary", "image/png"),
            resource("test://watched-resource", "text/plain"),
        ];
        Box::pin(std::future::ready(Ok(ResourcePage { resources, next: None })))
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate {
            uri_template: "test://template/{id}/data".to_owned(),
            name: "template".to_owned(),
            title: None,
            description: Some("A family of resources".to_owned()),
            mime_type: Some("application/json".to_owned()),
        }]
    }

    fn read(&self, uri: String, _: Client) -> BoxFuture<'_, Result<Vec<ResourceBody>, Refusal>> {
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let read = match (uri.as_str(), id) {
            (_, Some(id)) => {
                let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                Ok(body(&uri, "application/json", &data.to_string()))
            }
            ("test://static-text", _) => {
                Ok(body(&uri, "text/plain", "This is the content of the static text resource."))
            }
            ("test://watched-resource", _) => Ok(body(&uri, "text/plain", "watched")),
            ("test://static-binary", _) => {
                Ok(ResourceBody { data: ResourceData::Blob(PNG.to_owned()), ..body(&uri, "image/png", "") })
            }
            _ => Err(Refusal::NoSuchResource { uri: uri.clone() }),
        };
        Box::pin(std::future::ready(read.map(|body| vec![body])))
    }

    fn prompts(&self) -> Vec<Prompt> {
        vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
            prompt("test_input_required_result_prompt", &[]),
        ]
    }

    fn prompt(
        &self,
        name: String,
        arguments: Map<String, Value>,
        client: Client,
    ) -> BoxFuture<'_, Result<PromptText, Refusal>> {
        Box::pin(async move {
            let given =
                |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let words = |text: &str| Content::Text(text.to_owned());
            Ok(turns(match name.as_str() {
                "test_simple_prompt" => vec![words("This is a simple prompt for testing.")],
                "test_prompt_with_arguments" => {
                    let text =
                        format!("Prompt with arguments: arg1='{}', arg2='{}'", given("arg1"), given("arg2"));
                    vec![words(&text)]
                }
                "test_prompt_with_embedded_resource" => {
                    let body =
                        body(&given("resourceUri"), "text/plain", "Embedded resource content for testing.");
                    vec![Content::Resource(body), words("Please process the embedded resource above.")]
                }
                "test_prompt_with_image" => vec![image(), words("Please analyze the image above.")],
                "test_input_required_result_prompt" => {
                    let schema = json!({"context": {"type": "string"}});
                    let question = form("What context should the prompt use?", schema, json!(["context"]));
                    vec![words(&ask(&client, "user_context", question).await?)]
                }
                _ => return Err(Refusal::Invalid(format!("unknown prompt \"{name}\""))),
            }))
        })
    }

    fn complete(&self, _: &str, _: &str, typed: &str) -> Vec<String> {
        ["paris", "park", "party", "test"]
            .iter()
            .filter(|word| word.starts_with(typed))
            .map(ToString::to_string)
            .collect()
    }

    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        Some(self.changes.subscribe())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), std::io::Error> {
    let token = new_token();
    let server = HttpServer::bind("127.0.0.1:0".parse().expect("an address"), token.clone()).await?;
    writeln!(std::io::stdout(), "{} {token}", server.url())?;
    let (changes, _) = broadcast::channel(16);
    server.serve(Arc::new(Fixture { changes }), CancellationToken::new()).await;
    Ok(())
}
