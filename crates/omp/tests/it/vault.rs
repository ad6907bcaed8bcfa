//! `vault://`, against a program that answers as Obsidian's command line does.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire, run};

use crate::support::{LIMIT, omp};
use crate::urls::{read, write};

/// Tells what it was asked, and where its vaults are.
const OBSIDIAN: &str = r#"#!/bin/sh
printf '%s\n' "$*" >> "$HOME/asked"
case "$*" in
  "vaults verbose") echo "Work	$HOME/Work"; echo "Home Notes	$HOME/notes" ;;
  *"info=path") echo "$HOME/Work" ;;
  *"read path=ideas/one.md") printf '# One\nfirst line\n' ;;
  *"read path=gone.md") echo 'Error: File "gone.md" not found.' ;;
  *"orphans") ;;
  *) echo "answer to: $*" ;;
esac
"#;

fn home(settings: &str) -> Home {
    let home = Home::new();
    home.write("home/.omp/agent/config.yml", format!("tools:\n  approvalMode: yolo\n{settings}"));
    let program = home.write("bin/obsidian", OBSIDIAN);
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(home.path("home/Work/.obsidian")).unwrap();
    home
}

/// What the model is told by these calls, in one session; failures begin with an exclamation mark.
fn told(home: &Home, calls: Vec<Reply>) -> Vec<String> {
    let server = Server::start(calls.into_iter().chain([Reply::new().text("done")]).collect::<Vec<_>>());
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let mut command = omp(home, &["-p", "x", "--no-session"]);
    command.env("PATH", format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap()));
    run(command, Some(b""), LIMIT).assert_success();
    let body = server.requests().last().unwrap().body.clone();
    server.finish();
    let messages = body["messages"].as_array().unwrap().clone();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// Vaults, folders, notes and questions go to the program; notes are written as files of the vault and nothing else is.
// proves: CLI-244
#[test]
fn notes_are_read_asked_about_and_written() {
    let home = home("vault:\n  enabled: true\n");
    let told = told(
        &home,
        vec![
            read("vault://"),
            read("vault://Work/ideas/one.md"),
            read("vault://_/ideas/"),
            read("vault://_/ideas/one.md?op=backlinks"),
            read("vault://Home%20Notes?op=search&q=two+words"),
            read("vault://Work?op=daily"),
            read("vault://_?op=orphans"),
            read("vault://_/gone.md"),
            read("vault://_/one.md?op=shred"),
            write("vault://Work/ideas/two.md", "# Two\n"),
            write("vault://Work/../outside.md", "x\n"),
            write("vault://Work/one.md?op=tags", "x\n"),
            write("vault://Work/.obsidian/app.json", "{}\n"),
        ],
    );
    assert!(told[0].contains("Work\t") && told[0].contains("Home Notes\t"), "{}", told[0]);
    assert!(told[1].contains("# One") && told[1].contains("first line"), "{}", told[1]);
    assert!(
        told[2].contains("answer to: folders folder=ideas\nanswer to: files folder=ideas"),
        "{}",
        told[2]
    );
    assert!(told[3].contains("answer to: backlinks path=ideas/one.md"), "{}", told[3]);
    assert!(told[4].contains("answer to: vault=Home Notes search query=two words"), "{}", told[4]);
    assert!(told[5].contains("answer to: vault=Work daily:read"), "{}", told[5]);
    assert!(told[6].contains("(nothing)"), "{}", told[6]);
    assert!(told[7].contains("File \"gone.md\" not found"), "{}", told[7]);
    assert!(told[8].contains("Known: outline, backlinks, links, tags, properties,"), "{}", told[8]);
    assert_eq!(home.read("home/Work/ideas/two.md"), "# Two\n");
    assert!(told[10].contains("outside its vault") && !home.exists("home/outside.md"), "{}", told[10]);
    for refused in [&told[11], &told[12]] {
        assert!(refused.contains("only plain notes can be"), "{refused}");
    }
    assert!(!home.exists("home/Work/.obsidian/app.json"));
}

#[test]
fn it_has_to_be_switched_on_and_installed() {
    let off = home("");
    let told_off = told(&off, vec![read("vault://")]);
    assert!(told_off[0].contains("set vault.enabled"), "{}", told_off[0]);
    assert!(!off.exists("home/asked"), "nothing was started");
    let missing = home("vault:\n  enabled: true\n");
    std::fs::remove_file(missing.path("bin/obsidian")).unwrap();
    let told_missing = told(&missing, vec![read("vault://")]);
    assert!(told_missing[0].contains("needs the program `obsidian`"), "{}", told_missing[0]);
}
