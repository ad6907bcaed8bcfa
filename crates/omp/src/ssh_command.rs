//! `omp ssh`: the machines of the ssh tool.

use std::path::PathBuf;

use omp_cli::CommandCall;
use omp_sdk::ssh::{Compat, Draft, Host, Trust, add, remove};
use omp_sdk::{Level, ssh_hosts, ssh_hosts_file};
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::working_directory;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let result = match call.args.text("action") {
        Some("add") => add_host(call, profile),
        Some("remove") => remove_host(call, profile),
        _ => return list(call, profile),
    };
    match result {
        Ok(done) if call.values.has("json") => output::print_json(&done),
        Ok(Done { name, file, action }) => {
            output::print(Stream::Out, &format!("Host \"{name}\" {action} {}\n", file.display()))
        }
        Err(message) => {
            output::fail(&message, &["For example: omp ssh add build --host 10.0.0.5".to_owned()])
        }
    }
}

/// What became of a file.
#[derive(serde::Serialize)]
struct Done {
    name: String,
    file: PathBuf,
    action: &'static str,
}

fn add_host(call: &CommandCall, profile: Option<&str>) -> Result<Done, String> {
    let name = name(call)?;
    let text = |flag: &str| call.values.text(flag).map(str::to_owned);
    let port = call.values.integer("port");
    let port = port.map(|port| {
        let fits = u16::try_from(port).ok().filter(|port| *port > 0);
        fits.ok_or_else(|| format!("--port must be a number from 1 to 65535, not {port}"))
    });
    let draft = Draft {
        name: name.clone(),
        address: text("host").ok_or("omp ssh add needs --host")?,
        user: text("user"),
        port: port.transpose()?,
        key: call.values.path("key").map(|key| key.display().to_string()),
        description: text("desc"),
        compat: call.values.has("compat"),
    };
    let file = file(call, profile)?;
    add(&file, &draft).map_err(|error| error.to_string())?;
    Ok(Done { name, file, action: "added to" })
}

fn remove_host(call: &CommandCall, profile: Option<&str>) -> Result<Done, String> {
    let name = name(call)?;
    let file = file(call, profile)?;
    remove(&file, &name).map_err(|error| format!("{error} (choose the host list with --scope)"))?;
    Ok(Done { name, file, action: "removed from" })
}

fn name(call: &CommandCall) -> Result<String, String> {
    let name = call.args.text("name").map(str::to_owned);
    name.ok_or_else(|| format!("omp ssh {} needs a host name", call.args.text("action").unwrap_or_default()))
}

/// The list of the project unless the user's own is meant.
fn file(call: &CommandCall, profile: Option<&str>) -> Result<PathBuf, String> {
    let level = match call.values.text("scope") {
        Some("user") => Level::User,
        _ => Level::Project,
    };
    let context = CommandContext::here(profile)?;
    Ok(ssh_hosts_file(&context.directories, &working_directory::current()?, level))
}

fn list(call: &CommandCall, profile: Option<&str>) -> u8 {
    let (hosts, warnings) = match found(profile) {
        Ok(found) => found,
        Err(message) => return output::fail(&message, &[]),
    };
    let scope = call.values.text("scope");
    let hosts: Vec<&Host> =
        hosts.iter().filter(|host| scope.is_none_or(|scope| scope == level(host))).collect();
    if call.values.has("json") {
        let rows: Vec<Value> = hosts.iter().map(|host| row(host)).collect();
        return output::print_json(&json!({ "hosts": rows, "warnings": warnings }));
    }
    warnings.iter().for_each(|warning| output::warn(warning));
    let lines: String = hosts.iter().map(|host| line(host)).collect();
    let empty = "No hosts (add one with: omp ssh add <name> --host <address>)\n";
    output::print(Stream::Out, if lines.is_empty() { empty } else { &lines })
}

fn found(profile: Option<&str>) -> Result<(Vec<Host>, Vec<String>), String> {
    let (context, cwd) = (CommandContext::here(profile)?, working_directory::current()?);
    let settings = context.settings(&cwd)?;
    Ok(ssh_hosts(&context.directories, &cwd, &settings, context.environment.as_ref()))
}

fn level(host: &Host) -> &'static str {
    match host.source.trust {
        Trust::User => "user",
        Trust::Project => "project",
    }
}

fn line(host: &Host) -> String {
    let description = host.description.as_deref().map(|text| format!("  {text}")).unwrap_or_default();
    let line =
        format!("{:<16}  {host}  ({}, {}){description}", host.name, level(host), host.source.file.display());
    output::name(&line) + "\n"
}

fn row(host: &Host) -> Value {
    json!({
        "name": host.name,
        "host": host.address,
        "username": host.user,
        "port": host.port,
        "keyPath": host.key,
        "description": host.description,
        "compat": match host.compat {
            Compat::Auto => Value::Null,
            Compat::On => Value::Bool(true),
            Compat::Off => Value::Bool(false),
        },
        "scope": level(host),
        "file": host.source.file,
    })
}
