//! `omp permissions`: the commands that run without a question.

use omp_cli::CommandCall;
use omp_sdk::{Explanation, Permissions, ProjectTrust};
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::working_directory;

/// A command that would be asked about.
const ASKED: u8 = 1;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match open(profile) {
        Ok(permissions) => act(call, &permissions),
        Err(message) => output::fail(&message, &[]),
    }
}

fn open(profile: Option<&str>) -> Result<Permissions, String> {
    let context = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let settings = context.settings(&cwd)?;
    let trust = ProjectTrust::at(&context.directories, &cwd, &settings, context.environment.var("PATH"));
    Ok(Permissions::new(&settings, trust))
}

fn act(call: &CommandCall, permissions: &Permissions) -> u8 {
    let json = call.values.has("json");
    match (call.args.text("action"), call.args.text("text")) {
        (None | Some("list"), None) => list(permissions, json),
        (Some("explain"), Some(command)) => {
            let found = permissions.explain(command);
            if json {
                output::print_json(&described(&found))
            } else {
                output::print(Stream::Out, &found.to_string())
            }
        }
        (Some("test"), Some(command)) => test(&permissions.explain(command), json),
        (Some("remove"), Some(rule)) => remove(permissions, rule),
        (Some("list"), Some(_)) => output::fail("omp permissions list takes no arguments", &[]),
        (action, _) => {
            let action = action.unwrap_or_default();
            let example = format!("For example: omp permissions {action} \"git status\"");
            output::fail(
                &format!("omp permissions {action} needs a command or a rule, in quotes"),
                &[example],
            )
        }
    }
}

fn list(permissions: &Permissions, json: bool) -> u8 {
    let all = permissions.list();
    if json {
        let rows: Vec<Value> =
            all.iter().map(|one| json!({ "rule": one.rule, "scope": one.scope.name() })).collect();
        return output::print_json(&json!({ "project": permissions.project(), "rules": rows }));
    }
    if all.is_empty() {
        return output::print(Stream::Out, "No rules\n");
    }
    let wide = all.iter().map(|one| one.rule.chars().count()).max().unwrap_or_default();
    let text: String =
        all.iter().map(|one| format!("{:wide$}  {}\n", output::name(&one.rule), one.scope.name())).collect();
    output::print(Stream::Out, &text)
}

/// Says whether a command would run; the exit code says it, too.
fn test(found: &Explanation, json: bool) -> u8 {
    let printed = match json {
        true => output::print_json(&described(found)),
        false => output::print(Stream::Out, &format!("{}\n", found.outcome())),
    };
    if printed == 0 && found.allowed.is_none() { ASKED } else { printed }
}

fn remove(permissions: &Permissions, rule: &str) -> u8 {
    match permissions.remove(rule) {
        Ok(scopes) if scopes.is_empty() => {
            output::fail(&format!("unknown rule \"{rule}\" (see: omp permissions list)"), &[])
        }
        Ok(scopes) => {
            let names: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
            output::print(Stream::Out, &format!("Removed: {} ({})\n", output::name(rule), names.join(", ")))
        }
        Err(error) => output::fail(&error.to_string(), &[]),
    }
}

fn described(found: &Explanation) -> Value {
    let allowed = found.allowed.as_ref().map(|rules| {
        let row = |one: &omp_sdk::Permission| json!({ "rule": one.rule, "scope": one.scope.name() });
        rules.iter().map(row).collect::<Vec<Value>>()
    });
    json!({
        "effects": found.effects,
        "onlyReads": found.only_reads,
        "critical": found.critical,
        "allowedBy": allowed,
        "proposal": found.proposal,
    })
}
