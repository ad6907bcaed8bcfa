//! Tools: those that extensions bring, and those of the session that they use.

use std::sync::Arc;

use omp_agent::{Tool, Updates, Validators, call_tool};
use omp_extension_host::{ExtensionForm, Extensions, NO_PENDING};
use omp_tools::{Handler, PendingAction};
use omp_types::{ToolCall, ToolDefinition, ToolOutput, builtin};
use serde_json::{Map, Value, json};

use crate::extensions::port::{Running, SessionPort, text};
use crate::session::Session;

/// What an extension writes where it wants the schema of a tool of ours.
const BUILTIN: &str = "x-omp-builtin";

/// Adds the tools of extensions. A custom tool may not have a name that is taken; an extension may put a tool of its own
/// in the place of one of ours.
pub(crate) fn add(
    set: &Arc<Extensions>,
    tools: &mut Vec<Arc<dyn Tool>>,
    warnings: &mut Vec<String>,
) -> Vec<Arc<dyn Tool>> {
    let mut dormant = Vec::new();
    let builtin: Vec<ToolDefinition> = tools.iter().map(|tool| tool.definition().clone()).collect();
    let of_ours = |name: &str| builtin.iter().find(|tool| tool.name == name);
    let (offered, clashes) = set.tools_over(|spec| {
        let wanted = spec.parameters.get(BUILTIN).and_then(Value::as_str)?;
        of_ours(wanted).cloned()
    });
    warnings.extend(clashes);
    for (spec, form, tool) in offered {
        if spec.hidden || spec.default_inactive {
            dormant.push(tool);
            continue;
        }
        let taken = tools.iter().position(|other| other.definition().name == spec.name);
        match taken {
            None => tools.push(tool),
            Some(at) if form == ExtensionForm::Extension => tools[at] = tool,
            Some(_) => warnings.push(format!(
                "the custom tool {:?} is ignored: a tool with this name exists already",
                spec.name
            )),
        }
    }
    dormant
}

/// Offers what was registered since the session began, behind everything else.
pub(crate) fn refresh(session: &Session) {
    let Some(set) = session.extensions.set.as_ref().filter(|set| set.take_changed()) else { return };
    let own = &session.extensions.own_tools;
    let (offered, _) = set.tools_over(|spec| {
        let wanted = spec.parameters.get(BUILTIN).and_then(Value::as_str)?;
        own.iter().map(|tool| tool.definition()).find(|tool| tool.name == wanted).cloned()
    });
    let known = session.setup.all();
    for (spec, form, tool) in offered {
        let taken = known.iter().find(|other| other.definition().name == spec.name);
        let is_same = taken.is_some_and(|other| other.definition() == tool.definition());
        if is_same || (taken.is_some() && form != ExtensionForm::Extension) {
            continue;
        }
        match spec.hidden || spec.default_inactive {
            true => super::lock(&session.extensions.dormant).push(tool),
            false => session.setup.exchange(&spec.name, Some(tool)),
        }
    }
}

/// Gives the model these tools and no others; what slept until now wakes.
pub(crate) fn choose(session: &Session, names: &[String]) {
    refresh(session);
    let mut dormant = super::lock(&session.extensions.dormant);
    let wanted = |tool: &Arc<dyn Tool>| names.contains(&tool.definition().name);
    for tool in dormant.extract_if(.., |tool| wanted(tool)) {
        let name = tool.definition().name.clone();
        session.setup.exchange(&name, Some(tool));
    }
    session.setup.choose(names);
}

pub(crate) fn read(port: &SessionPort, operation: &str) -> Value {
    let offered = port.setup.offered();
    match operation {
        "tools.active" => offered.iter().map(|tool| json!(tool.definition().name)).collect(),
        _ => {
            let all = port.setup.all();
            all.iter()
                .map(|tool| {
                    let ToolDefinition { name, description, parameters, .. } = tool.definition();
                    let source = if tool.origin().is_some() { "extension" } else { "builtin" };
                    json!({
                        "name": name, "description": description, "parameters": parameters,
                        "sourceInfo": {"path": source, "source": source, "scope": "temporary", "origin": "top-level"},
                    })
                })
                .collect()
        }
    }
}

/// A change that waits for the model's word.
pub(crate) fn push_pending(port: &SessionPort, arguments: &Value) -> Result<Value, String> {
    let session = port.session().ok().filter(|session| offers_resolve(session));
    let session = session.ok_or(NO_PENDING)?;
    let (set, id) = (session.extensions.set.clone().ok_or("there are no extensions")?, text(arguments, "id"));
    let (extension, id) = (arguments["extension"].as_u64().unwrap_or_default(), id.to_owned());
    let label = text(arguments, "label").to_owned();
    let decide = move |applies: bool| -> Handler {
        let (set, id, label) = (Arc::clone(&set), id.clone(), label.clone());
        Box::new(move |decision| {
            let resolved = set.resolve_pending(extension, &id, applies, &decision.reason);
            // A decision is carried out on a thread that may wait.
            let resolved = tokio::runtime::Handle::current().block_on(resolved)?;
            let reason = &decision.reason;
            Ok(resolved.unwrap_or_else(|| ToolOutput::text(format!("Discarded: {label}. Reason: {reason}"))))
        })
    };
    session.tools.pending.push(PendingAction {
        label: text(arguments, "label").to_owned(),
        source: arguments["sourceToolName"].as_str().unwrap_or("custom_tool").to_owned(),
        files: Vec::new(),
        apply: decide(true),
        reject: Some(decide(false)),
    });
    Ok(Value::Null)
}

/// Is there anything that a decision could be made with?
fn offers_resolve(session: &Session) -> bool {
    session.setup.all().iter().any(|tool| tool.definition().name == builtin::RESOLVE.name)
}

/// Runs a tool of the session for an extension that wraps it: with its approvals, as a call of its own.
pub(crate) async fn run(
    session: Arc<Session>,
    running: Arc<Running>,
    arguments: Value,
) -> Result<Value, String> {
    let (id, name) = (text(&arguments, "id").to_owned(), text(&arguments, "name").to_owned());
    let own = session.extensions.own_tools.iter().find(|tool| tool.definition().name == name);
    let tool = own.cloned().ok_or_else(|| format!("the tool {name} is not offered"))?;
    let given: Map<String, Value> = serde_json::from_value(arguments["params"].clone()).unwrap_or_default();
    let call = ToolCall {
        id: id.clone(),
        name,
        arguments: given,
        thought_signature: None,
        intent: None,
        invalid_arguments: None,
        custom: false,
    };
    let cancel = running.begin(&id);
    let gate = session.extensions.own_gate.clone().ok_or("the session is not ready")?;
    let result = call_tool(&*gate, &Validators::default(), &tool, &call, cancel, Updates::ignored()).await;
    running.end(&id);
    match result {
        Ok(output) => serde_json::to_value(output).map_err(|error| error.to_string()),
        Err(error) => Err(error.message),
    }
}
