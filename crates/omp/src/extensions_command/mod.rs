//! `omp extensions`: which extensions there are, what each of them needs, and writing a new one.

mod new;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use omp_cli::CommandCall;
use omp_sdk::extensions::{ExtensionChoice, ExtensionSurroundings, ExtensionSurvey, SurveyedExtension};
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::{runtime, working_directory};

/// Something does not work.
const FAULTY: u8 = 1;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let done = match call.args.text("action") {
        Some("new") => new::run(call, profile),
        Some("doctor") => survey(call, profile, true).map(|survey| doctor(call, &survey)),
        _ => survey(call, profile, false).map(|survey| list(call, &survey)),
    };
    done.unwrap_or_else(|message| output::fail(&message, &[]))
}

/// Looks for extensions; `load`s them, too, where loading is what is asked about.
fn survey(call: &CommandCall, profile: Option<&str>, load: bool) -> Result<ExtensionSurvey, String> {
    if let Some(name) = call.args.text("name") {
        return Err(format!("unexpected argument {name:?}: only `omp extensions new` takes a name"));
    }
    let context = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let settings = context.settings(&cwd)?;
    let CommandContext { directories, environment } = &context;
    let surroundings = ExtensionSurroundings { directories, cwd: &cwd, settings: &settings, environment };
    let choice = ExtensionChoice {
        named: call.values.paths("extension"),
        reserved_commands: omp_commands::reserved_names(),
        ..ExtensionChoice::default()
    };
    let runtime = runtime::start()?;
    let survey = runtime.block_on(async {
        match load {
            true => surroundings.examine(&choice).await,
            false => Ok(surroundings.survey(&choice).await),
        }
    });
    runtime.shutdown_background();
    survey
}

fn list(call: &CommandCall, survey: &ExtensionSurvey) -> u8 {
    if call.values.has("json") {
        let rows: Vec<Value> = survey.extensions.iter().map(|one| described(one, survey)).collect();
        return output::print_json(&json!({ "extensions": rows, "warnings": survey.warnings }));
    }
    let mut text = String::new();
    for extension in &survey.extensions {
        head(&mut text, extension);
        if let Some(sentence) = in_process(extension, survey) {
            let _ = writeln!(text, "  {}", output::name(&sentence));
        }
        if let Some(reason) = &extension.refused {
            let _ = writeln!(text, "  not loaded: {reason}");
        }
    }
    warnings(survey);
    let empty = "No extensions (write one with: omp extensions new NAME)\n";
    output::print(Stream::Out, if text.is_empty() { empty } else { &text })
}

fn doctor(call: &CommandCall, survey: &ExtensionSurvey) -> u8 {
    let faults = survey.extensions.iter().filter(|extension| is_faulty(extension)).count();
    let printed = if call.values.has("json") {
        let rows: Vec<Value> = survey.extensions.iter().map(|one| examined(one, survey)).collect();
        output::print_json(&json!({ "extensions": rows, "warnings": survey.warnings, "errors": faults }))
    } else {
        let text: String = survey.extensions.iter().map(|one| diagnosis(one, survey)).collect();
        warnings(survey);
        let sum = match (survey.extensions.len(), faults) {
            (0, _) => "No extensions (write one with: omp extensions new NAME)\n".to_owned(),
            (count, 0) => format!("{count} checked, no errors\n"),
            (count, 1) => format!("{count} checked, 1 has errors\n"),
            (count, faults) => format!("{count} checked, {faults} have errors\n"),
        };
        output::print(Stream::Out, &format!("{text}{sum}"))
    };
    if printed == 0 && faults > 0 { FAULTY } else { printed }
}

fn warnings(survey: &ExtensionSurvey) {
    survey.warnings.iter().for_each(|warning| output::warn(warning));
}

/// What the user has to repair; a name that is missing is one only when it is used.
fn is_faulty(extension: &SurveyedExtension) -> bool {
    extension.failure.is_some() || !extension.scan.problems.is_empty()
}

fn head(text: &mut String, extension: &SurveyedExtension) {
    let spec = &extension.spec;
    let _ = writeln!(
        text,
        "{} ({}, {}) {}",
        output::name(&spec.name),
        spec.source.name(),
        spec.form.name(),
        output::name(&spec.path.display().to_string())
    );
}

/// Where an extension runs, unless it is inside.
fn in_process(extension: &SurveyedExtension, survey: &ExtensionSurvey) -> Option<String> {
    let reason = extension.scan.needs_host.as_ref()?;
    let by = match survey.process.as_ref()? {
        Ok(program) => format!("runs in a process of its own ({program})"),
        Err(_) => "needs a process of its own, and there is none".to_owned(),
    };
    Some(format!("{by}, because {reason}"))
}

fn diagnosis(extension: &SurveyedExtension, survey: &ExtensionSurvey) -> String {
    let mut text = String::new();
    head(&mut text, extension);
    let mut line = |words: &str| {
        let _ = writeln!(text, "  {}", output::name(words));
    };
    match (&extension.refused, &extension.failure) {
        (Some(reason), _) => line(&format!("not loaded: {reason}")),
        (None, Some(reason)) => line(&format!("error: not loaded: {reason}")),
        (None, None) => line("loaded"),
    }
    in_process(extension, survey).iter().for_each(|sentence| line(sentence));
    extension.scan.problems.iter().for_each(|problem| line(&format!("error: {problem}")));
    for sentence in lacking(&extension.lacking) {
        line(&sentence);
    }
    extension.remarks.iter().for_each(|remark| line(&format!("note: {remark}")));
    text
}

/// What is not offered, one sentence for each module.
fn lacking(lacking: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let sentence = |(module, names): (&String, &Vec<String>)| match names.is_empty() {
        true if is_ours(module) => format!("not offered by omp: {module}"),
        true => format!("not installed: {module}"),
        false => format!("not offered by omp: {} of {module}", names.join(", ")),
    };
    lacking.iter().map(sentence).collect()
}

/// A module of Node or Bun; anything else is a package that somebody can install.
fn is_ours(module: &str) -> bool {
    module.starts_with("node:") || module.starts_with("bun")
}

fn described(extension: &SurveyedExtension, survey: &ExtensionSurvey) -> Value {
    let spec = &extension.spec;
    let program = survey.process.as_ref().and_then(|found| found.as_ref().ok());
    let process =
        extension.scan.needs_host.as_ref().map(|reason| json!({ "reason": reason, "program": program }));
    json!({
        "name": spec.name, "path": spec.path, "source": spec.source.name(), "form": spec.form.name(),
        "refused": extension.refused, "process": process,
    })
}

fn examined(extension: &SurveyedExtension, survey: &ExtensionSurvey) -> Value {
    let mut row = described(extension, survey);
    row["error"] = json!(extension.failure);
    row["problems"] = json!(extension.scan.problems);
    row["notOffered"] = json!(extension.lacking);
    row["remarks"] = json!(extension.remarks);
    row["files"] = json!(extension.scan.files.len());
    row
}
