//! `omp-scripted-model`: the scripted model server as a program, for benchmarks and experiments.
//!
//! Prints its base URL as the first line and serves until its standard input closes.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use omp_testkit::{Scenario, Server, ServerOptions, builtin};
use std::io::{Read, Write};
use std::process::ExitCode;

const USAGE: &str = "usage: omp-scripted-model (--scenario FILE.json | --builtin NAME) [options]

  --scenario FILE   replies from a JSON file; the format is in the documentation of omp-testkit
  --builtin NAME    one-turn, tool-loop:N, tool-loop-read:N, deltas:N
  --port PORT       port to listen on; 0, the default, takes a free one
  --loop            start over when all replies are used
  --lenient         do not check requests
  --record FILE     append one JSON line per request, with the time of its first byte
  --forever         serve until killed, even when standard input closes";

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("omp-scripted-model: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let server = Server::start_with(options.scenario, options.server);
    println!("{}", server.base_url());
    let _ = std::io::stdout().flush();
    if options.forever {
        loop {
            std::thread::park();
        }
    }
    wait_for_end_of_input();
    report(&server)
}

fn wait_for_end_of_input() {
    let mut sink = [0; 4096];
    while matches!(std::io::stdin().read(&mut sink), Ok(1..)) {}
}

fn report(server: &Server) -> ExitCode {
    let violations = server.violations();
    for violation in &violations {
        eprintln!("violation: {violation}");
    }
    if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Options {
    scenario: Scenario,
    server: ServerOptions,
    forever: bool,
}

impl Options {
    /// `None` when help was asked for.
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut scenario: Option<Scenario> = None;
        let mut server = ServerOptions::default();
        let (mut repeat, mut lenient, mut forever) = (false, false, false);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--loop" => repeat = true,
                "--lenient" => lenient = true,
                "--forever" => forever = true,
                "--port" => server.port = value()?.parse().map_err(|_| "--port needs a number".to_owned())?,
                "--record" => server.record = Some(value()?.into()),
                "--scenario" => {
                    scenario = Some(Scenario::from_json_file(value()?).map_err(|error| error.to_string())?);
                }
                "--builtin" => {
                    let name = value()?;
                    let found = builtin::scenario(&name);
                    scenario = Some(found.ok_or_else(|| format!("there is no built-in scenario {name:?}"))?);
                }
                other => return Err(format!("unknown argument {other:?}")),
            }
        }
        let mut scenario = scenario.ok_or("give --scenario or --builtin")?;
        if repeat {
            scenario = scenario.repeat(true);
        }
        if lenient {
            scenario = scenario.lenient(true);
        }
        Ok(Some(Self { scenario, server, forever }))
    }
}
