//! Google: everything but the contents. The model's name is in the path, and families differ in what they take.

use super::fields::{self, entries};
use super::{Check, Checker, google_contents, google_schema};
use crate::server::RecordedRequest;
use serde_json::Value;

const FIELDS: &[&str] = &[
    "cachedContent",
    "contents",
    "generationConfig",
    "labels",
    "safetySettings",
    "systemInstruction",
    "toolConfig",
    "tools",
];
const GENERATION_FIELDS: &[&str] = &[
    "candidateCount",
    "frequencyPenalty",
    "maxOutputTokens",
    "mediaResolution",
    "presencePenalty",
    "responseJsonSchema",
    "responseMimeType",
    "responseModalities",
    "responseSchema",
    "seed",
    "stopSequences",
    "temperature",
    "thinkingConfig",
    "topK",
    "topP",
];

/// The model a request is for, from its path or its envelope.
pub(super) fn model(request: &RecordedRequest) -> &str {
    if let Some(named) = request.envelope["model"].as_str() {
        return named;
    }
    let path = request.path.strip_suffix(":streamGenerateContent").unwrap_or(&request.path);
    path.split_once("/models/").map_or("", |(_, model)| model)
}

/// Models that sign their calls, show pictures in results and think by levels.
pub(super) fn is_third_generation(model: &str) -> bool {
    model.starts_with("gemini-3")
}

pub(super) fn check(request: &RecordedRequest, checker: &Checker<'_>) -> Check {
    let (body, model) = (&request.body, model(request));
    if model.trim().is_empty() {
        return Err("model: the request must name one".into());
    }
    if request.query != "alt=sse" {
        return Err(format!("alt: the query must be alt=sse, not {:?}", request.query));
    }
    fields::known_top_level(body, FIELDS, checker.rules)?;
    fields::required(body, &["contents"])?;
    generation(&body["generationConfig"], model)?;
    system(body)?;
    tools(body)?;
    tool_config(body)?;
    google_contents::check(body, model, checker)
}

fn generation(config: &Value, model: &str) -> Check {
    if !config.is_null() && !config.is_object() {
        return Err("generationConfig: must be an object".into());
    }
    fields::known_members(config, "generationConfig", GENERATION_FIELDS)?;
    fields::token_count(config, "maxOutputTokens", 1)?;
    fields::token_count(config, "topK", 1)?;
    for (name, least, most) in [("temperature", 0.0, 2.0), ("topP", 0.0, 1.0), ("presencePenalty", -2.0, 2.0)]
    {
        let fits = |value: &Value| value.as_f64().is_some_and(|number| (least..=most).contains(&number));
        if config.get(name).is_some_and(|value| !fits(value)) {
            return Err(format!("generationConfig.{name}: must be between {least} and {most}"));
        }
    }
    match config.get("thinkingConfig") {
        Some(thinking) => think(thinking, config, model),
        None => Ok(()),
    }
}

fn think(thinking: &Value, config: &Value, model: &str) -> Check {
    let at = "generationConfig.thinkingConfig";
    fields::known_members(thinking, at, &["includeThoughts", "thinkingBudget", "thinkingLevel"])?;
    let shown = thinking["includeThoughts"] == true;
    match (thinking.get("thinkingBudget"), thinking.get("thinkingLevel")) {
        (Some(_), Some(_)) => Err("You can only set one of thinking budget and thinking level.".into()),
        (Some(budget), None) => {
            if is_third_generation(model) {
                return Err(format!("{at}.thinkingBudget: {model} takes a thinkingLevel"));
            }
            let Some(budget) = budget.as_u64() else {
                return Err(format!("{at}.thinkingBudget: must be a number of tokens, not {budget}"));
            };
            if shown && budget == 0 {
                return Err(format!("{at}.includeThoughts: thinking is off, there is nothing to include"));
            }
            if config["maxOutputTokens"].as_u64().is_some_and(|most| budget >= most) {
                return Err(format!("{at}.thinkingBudget: must be below maxOutputTokens"));
            }
            budget_fits(budget, model)
        }
        (None, Some(level)) => level_fits(level, model),
        (None, None) => Ok(()),
    }
}

fn budget_fits(budget: u64, model: &str) -> Check {
    let (least, most) = match model {
        _ if model.starts_with("gemini-2.5-pro") => (128, 32_768),
        _ if model.starts_with("gemini-2.5-flash-lite") && budget > 0 => (512, 24_576),
        _ => (0, 24_576),
    };
    if (least..=most).contains(&budget) {
        Ok(())
    } else {
        Err(format!(
            "The thinking budget {budget} is invalid. Please choose a value between {least} and {most}."
        ))
    }
}

fn level_fits(level: &Value, model: &str) -> Check {
    let known: &[&str] = match model {
        _ if model.starts_with("gemini-3-pro") => &["LOW", "HIGH"],
        _ if is_third_generation(model) => &["MINIMAL", "LOW", "MEDIUM", "HIGH"],
        _ => return Err("Thinking level is not supported for this model.".into()),
    };
    if known.iter().any(|name| level == name) {
        Ok(())
    } else {
        Err(format!("Thinking level {level} is not supported for this model."))
    }
}

fn system(body: &Value) -> Check {
    let Some(system) = body.get("systemInstruction") else { return Ok(()) };
    fields::known_members(system, "systemInstruction", &["parts", "role"])?;
    let parts = entries(&system["parts"]);
    let is_text = |part: &Value| part["text"].as_str().is_some_and(|text| !text.trim().is_empty());
    if parts.is_empty() || !parts.iter().all(is_text) {
        return Err("systemInstruction.parts: must be parts with text".into());
    }
    parts.iter().try_for_each(|part| fields::known_members(part, "systemInstruction.parts", &["text"]))
}

/// All functions of a request.
fn declarations(body: &Value) -> Vec<&Value> {
    entries(&body["tools"]).iter().flat_map(|tool| entries(&tool["functionDeclarations"])).collect()
}

fn tools(body: &Value) -> Check {
    let Some(list) = body.get("tools") else { return Ok(()) };
    if entries(list).is_empty() {
        return Err("tools: must be a non-empty array".into());
    }
    for (index, tool) in entries(list).iter().enumerate() {
        let at = format!("tools[{index}]");
        fields::known_members(tool, &at, &["functionDeclarations"])?;
        if entries(&tool["functionDeclarations"]).is_empty() {
            return Err(format!("{at}.functionDeclarations: must be a non-empty array"));
        }
    }
    let declarations = declarations(body);
    for (index, declaration) in declarations.iter().enumerate() {
        declared(declaration, &format!("functionDeclarations[{index}]"))?;
    }
    fields::unique_tool_names(declarations.iter().filter_map(|function| function["name"].as_str()))
}

fn declared(declaration: &Value, at: &str) -> Check {
    fields::known_members(declaration, at, &["name", "description", "parameters", "parametersJsonSchema"])?;
    fields::tool_name(&declaration["name"], &format!("{at}.name"))?;
    let digit =
        declaration["name"].as_str().is_some_and(|name| name.starts_with(|c: char| c.is_ascii_digit()));
    if digit {
        return Err(format!("{at}.name: must start with a letter or an underscore"));
    }
    if declaration["description"].as_str().is_none_or(str::is_empty) {
        return Err(format!("{at}.description: Field required"));
    }
    match (declaration.get("parameters"), declaration.get("parametersJsonSchema")) {
        (Some(_), Some(_)) => Err(format!("{at}: parameters and parametersJsonSchema exclude each other")),
        (Some(schema), None) => {
            google_schema::check(schema).map_err(|error| format!("{at}.parameters: {error}"))
        }
        (None, Some(schema)) => {
            google_schema::check(schema).map_err(|error| format!("{at}.parametersJsonSchema: {error}"))
        }
        (None, None) => Ok(()),
    }
}

fn tool_config(body: &Value) -> Check {
    let Some(config) = body.get("toolConfig") else { return Ok(()) };
    let declarations = declarations(body);
    if declarations.is_empty() {
        return Err("toolConfig: function calling config is set without function declarations".into());
    }
    fields::known_members(config, "toolConfig", &["functionCallingConfig"])?;
    let calling = &config["functionCallingConfig"];
    fields::known_members(calling, "functionCallingConfig", &["mode", "allowedFunctionNames"])?;
    let mode = calling["mode"].as_str().unwrap_or_default();
    if !["AUTO", "ANY", "NONE", "VALIDATED"].contains(&mode) {
        return Err(format!("functionCallingConfig.mode: {mode:?} is not a mode"));
    }
    let allowed = entries(&calling["allowedFunctionNames"]);
    if !allowed.is_empty() && mode != "ANY" {
        return Err("functionCallingConfig.allowedFunctionNames: only with mode ANY".into());
    }
    let known = |name: &&Value| declarations.iter().any(|declaration| declaration["name"] == **name);
    match allowed.iter().find(|name| !known(name)) {
        Some(name) => Err(format!("allowedFunctionNames: {name} is not among the functionDeclarations")),
        None => Ok(()),
    }
}
