//! `omp setup`: the wizard; `omp setup provider --preset <name>`: describes a provider in the models file.

use std::io::IsTerminal;

use omp_cli::CommandCall;
use omp_sdk::{ProviderAdded, ProviderPreset, add_provider, has_provider};
use serde_json::json;

use crate::command_context;
use crate::launch;
use crate::output::{self, Stream};

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match call.args.text("component") {
        Some("provider") => provider(call, profile),
        Some(component) => output::fail(&format!("omp setup {component} is not available yet"), &[]),
        None if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => launch::set_up(profile),
        None => output::fail(
            "setup needs a terminal",
            &[
                "Log in with: omp login".to_owned(),
                "Add a provider with: omp setup provider --preset glm".to_owned(),
            ],
        ),
    }
}

fn provider(call: &CommandCall, profile: Option<&str>) -> u8 {
    let Some(preset) = call.values.text("preset").and_then(ProviderPreset::from_word) else {
        return output::fail(
            "no provider given: add --preset",
            &["Known presets: minimax, minimax-cn, glm".to_owned()],
        );
    };
    let directories = match command_context::directories(profile) {
        Ok(directories) => directories,
        Err(error) => return output::fail(&error, &[]),
    };
    if call.values.has("check") {
        return match has_provider(&directories, preset) {
            Ok(found) => checked(call, preset, found),
            Err(error) => output::fail(&error.to_string(), &[]),
        };
    }
    match add_provider(&directories, preset) {
        Ok(added) => report(call, preset, &added),
        Err(error) => output::fail(&error.to_string(), &[]),
    }
}

/// `--check`: the exit code is the answer.
fn checked(call: &CommandCall, preset: ProviderPreset, found: bool) -> u8 {
    let provider = preset.provider();
    let text = if found { "is in models.yml" } else { "is not in models.yml" };
    match call.values.has("json") {
        true => output::print_json(&json!({"provider": provider, "installed": found})),
        false => output::print(Stream::Out, &format!("Provider {provider} {text}\n")),
    };
    u8::from(!found)
}

fn report(call: &CommandCall, preset: ProviderPreset, added: &ProviderAdded) -> u8 {
    let (provider, variable) = (preset.provider(), preset.variable());
    let (file, written) = match added {
        ProviderAdded::Written(file) => (file, true),
        ProviderAdded::AlreadyThere(file) => (file, false),
    };
    if call.values.has("json") {
        let shown = json!({"provider": provider, "variable": variable, "file": file, "written": written});
        return output::print_json(&shown);
    }
    let place = file.display();
    let text = match written {
        true => format!(
            "Added provider {provider} to {place}. Set {variable} to its API key, then run: omp models \
             {provider}\n"
        ),
        false => format!("{place} already has a provider {provider}; nothing changed\n"),
    };
    output::print(Stream::Out, &text)
}
