//! `@path` inside a prompt.

use omp_testkit::{Home, Reply, Server, Wire, run};

use crate::support::{LIMIT, home, omp, omp_run};

const CODE: &str = "export const answer = 42;";

/// A home with a file, and a server that answers so many times.
fn prepared(answers: usize) -> (Server, Home) {
    let server = Server::start((0..answers).map(|_| Reply::new().text("ok")).collect::<Vec<_>>());
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/src/a.ts", CODE);
    (server, home)
}

/// How often the file is in the request of this number.
fn times(server: &Server, request: usize) -> usize {
    server.requests()[request].body["messages"].to_string().matches(CODE).count()
}

// proves: IOP-010
#[test]
fn a_file_is_attached_wherever_it_stands_in_a_prompt() {
    for arguments in [
        &["-p", "look at @src/a.ts"][..],
        &["-p", "what does @src/a.ts, if anything, export?"],
        &["--mode", "json", "look at @src/a.ts."],
        &["-p", "first", "then see @src/a.ts:1-2"],
    ] {
        let messages = arguments.iter().filter(|text| text.contains(' ') || **text == "first").count();
        let (server, home) = prepared(messages);
        omp_run(&home, arguments).assert_success();
        assert_eq!(times(&server, messages - 1), 1, "{arguments:?}");
        let words = server.requests()[messages - 1].body["messages"].to_string();
        let last = arguments.last().unwrap();
        assert!(words.contains(last), "the words stay as they were typed: {last}");
        server.finish();
    }
    // What is piped is a prompt if nothing else is.
    let (server, home) = prepared(1);
    run(omp(&home, &["-p"]), Some(b"look at @src/a.ts"), LIMIT).assert_success();
    assert_eq!(times(&server, 0), 1);
    server.finish();
}

// proves: IOP-010
#[test]
fn what_is_quoted_or_missing_stays_a_word() {
    for text in [
        "what is \"@src/a.ts\"?",
        "what is `@src/a.ts`?",
        "who is me@src/a.ts?",
        "install @scope/package and @src/missing.ts",
    ] {
        let (server, home) = prepared(1);
        let output = omp_run(&home, &["-p", text]);
        output.assert_success();
        assert_eq!((times(&server, 0), output.stderr.as_str()), (0, ""), "{text}");
        server.finish();
    }
    // Piped text beside a prompt is material, whatever it holds.
    let (server, home) = prepared(1);
    run(omp(&home, &["-p", "sum this up"]), Some(b"see @src/a.ts"), LIMIT).assert_success();
    assert_eq!(times(&server, 0), 0);
    server.finish();
}

/// The borders of file tools hold for mentions too.
// proves: IOP-010
#[test]
fn files_with_credentials_are_not_attached() {
    let (server, home) = prepared(1);
    home.write("home/.ssh/id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\nhushhush\n");
    let output = omp_run(&home, &["-p", "check @~/.ssh/id_ed25519 and @src/a.ts"]);
    output.assert_success();
    let body = server.requests()[0].body.to_string();
    assert!(!body.contains("hushhush"), "{body}");
    assert_eq!(times(&server, 0), 1);
    assert!(output.stderr.contains("id_ed25519"), "{}", output.stderr);
    server.finish();
}

/// Files go with their prompt once, also when the session is opened anew, and a recording of it plays without them.
// proves: IOP-010
#[test]
fn an_attached_file_is_part_of_the_conversation() {
    let (server, home) = prepared(2);
    omp_run(&home, &["--record", "bug.jsonl", "-p", "look at @src/a.ts"]).assert_success();
    omp_run(&home, &["-c", "-p", "and now?"]).assert_success();
    assert_eq!(times(&server, 1), 1);
    server.finish();
    std::fs::remove_file(home.path("work/src/a.ts")).unwrap();
    let played = omp_run(&home, &["replay", "bug.jsonl"]);
    played.assert_success();
}
