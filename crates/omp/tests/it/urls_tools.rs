//! Internal URLs in commands, and in tools that want files.

use omp_testkit::Home;
use serde_json::json;

use crate::urls::{answers, artifacts, bash, call, read, write};

/// Commands, variables and the working directory may name internal URLs; the directories of new files are made.
// proves: CLI-246
#[test]
fn commands_see_paths() {
    let home = Home::new();
    home.write("work/.omp/skills/pdf/SKILL.md", "---\ndescription: Reads PDF files\n---\nthe body\n");
    let environment = json!({ "command": "cat \"$NOTES\"; pwd", "env": { "NOTES": "local://a b/it's.md" }, "cwd": "local://a%20b" });
    let answers = answers(
        &home,
        vec![
            bash("echo hello > 'local://a b/it%27s.md'; cat \"local://a b/it's.md\" skill://pdf"),
            bash(
                "name=deep/er; echo x > local://new/dir/f.txt; cat local://new/$name/../../dir/f.txt || true; ls local://new",
            ),
            call("bash", environment),
            bash("cat <<EOF\nsee skill://nothing\nEOF\necho 'local://' s3://bucket/x"),
        ],
    );
    let root = artifacts(&home).join("local");
    assert!(answers[0].text.starts_with("hello\n---\ndescription"), "{}", answers[0].text);
    assert!(root.join("a b/it's.md").is_file() && root.join("new/dir/f.txt").is_file());
    assert!(answers[1].text.contains("dir\n"), "{}", answers[1].text);
    let here = root.join("a b").canonicalize().unwrap();
    assert!(answers[2].text.starts_with(&format!("hello\n{}\n", here.display())), "{}", answers[2].text);
    assert!(
        answers[3].text.starts_with("see skill://nothing\nlocal:// s3://bucket/x"),
        "{}",
        answers[3].text
    );
}

/// What cannot be replaced by a path fails before the command begins.
// proves: LOP-187
#[test]
fn wrong_urls_stop_a_command_before_it_runs() {
    let home = Home::new();
    let commands = [
        ("cat skill://nothing", "unknown skill `nothing`"),
        ("cat local://../x", "`..` is not allowed"),
        ("cat omp://usage.md", "is not backed by a file"),
        ("cat memory://root", "not available yet"),
        ("cat artifact://0", "No artifacts directory found"),
        ("ls local://*.md", "Glob patterns are not supported for internal URLs"),
    ];
    let calls = commands.iter().map(|(command, _)| bash(&format!("touch ran; {command}"))).chain([
        call("bash", json!({ "command": "touch ran", "env": { "X": "skill://nothing" } })),
        call("bash", json!({ "command": "touch ran", "cwd": "skill://nothing" })),
    ]);
    let answers = answers(&home, calls.collect());
    for (answer, expected) in
        answers.iter().zip(commands.iter().map(|(_, expected)| *expected).chain(["unknown skill"; 2]))
    {
        assert!(answer.failed && answer.text.contains(expected), "{expected}: {}", answer.text);
    }
    assert!(!home.exists("work/ran"));
}

/// URLs with a file behind them are found, searched and edited; patterns in URLs are refused.
// proves: FIL-211, FIL-230
#[test]
fn tools_take_urls_with_files_behind_them() {
    let home = Home::new();
    home.write("work/.omp/skills/pdf/SKILL.md", "---\ndescription: Reads PDF files\n---\nthe body\n");
    let search = |path: &str| call("search", json!({ "pattern": "l+o|b[o]dy|1000$", "paths": [path] }));
    let find = |path: &str| call("find", json!({ "paths": [path] }));
    let answers = answers(
        &home,
        vec![
            write("local://x.md", "hello\n"),
            find("local://x.md"),
            find("local://*"),
            search("local://x.md"),
            search("skill://pdf"),
            search("local://"),
            search("local://x?.md"),
            bash("seq 1 100000"),
            search("artifact://0"),
            search("artifact://0:900-950"),
            read("artifact://0:raw:7-7"),
        ],
    );
    let text = |number: usize| answers[number].text.as_str();
    let path = artifacts(&home).join("local/x.md");
    assert_eq!(answers[1].details["files"], json!([path.to_str().unwrap()]));
    assert_eq!(text(2), "Glob patterns are not supported for internal URLs: local://*");
    assert_eq!(text(3), "[local://x.md#5BF9]\n*1:hello");
    assert!(text(4).contains("*4|the body") && !text(4).contains("pdf#"), "{}", text(4));
    assert!(text(5).contains("x.md#5BF9"), "{}", text(5));
    assert_eq!(text(6), "Glob patterns are not supported for internal URLs: local://x?.md");
    assert!(text(8).contains("*1000|1000") && !text(8).contains("artifact://0#"), "{}", text(8));
    assert_eq!(text(9), "No matches found");
    assert!(text(10).starts_with('7'), "{}", text(10));
}

/// The tools that know the syntax of programs take the same URLs; what can only be read is not edited through one.
// proves: CLI-245
#[test]
fn structural_tools_and_edits_take_urls() {
    let home = Home::new();
    let skill = "---\ndescription: Reads PDF files\n---\nhello\n";
    home.write("work/.omp/skills/pdf/SKILL.md", skill);
    let grep = |path: &str| call("ast_grep", json!({ "pat": "call($A)", "paths": [path] }));
    let rewrite = |path: &str| {
        let ops = json!([{ "pat": "call($A)", "out": "done($A)" }]);
        call("ast_edit", json!({ "ops": ops, "paths": [path] }))
    };
    let edit = |url: &str| call("edit", json!({ "input": format!("[{url}#5BF9]\nSWAP 1.=1:\n+goodbye") }));
    let answers = answers(
        &home,
        vec![
            write("local://c.ts", "call(1);\n"),
            grep("local://c.ts"),
            grep("local://*.ts"),
            rewrite("local://*.ts"),
            rewrite("local://c.ts"),
            write("local://x.md", "hello\n"),
            read("local://x.md"),
            edit("local://x.md"),
            edit("skill://pdf"),
            call("find", json!({ "paths": ["local://c.ts"] })),
            call("search", json!({ "pattern": "call", "paths": ["local://c.ts"] })),
        ],
    );
    let text = |number: usize| answers[number].text.as_str();
    assert!(!answers[1].failed && text(1).contains("call(1)"), "{}", text(1));
    for number in [2, 3] {
        assert!(
            answers[number].failed && text(number).contains("Glob patterns are not supported"),
            "{}",
            text(number)
        );
    }
    assert!(!answers[4].failed && text(4).contains("done(1)"), "{}", text(4));
    assert!(!answers[7].failed, "{}", text(7));
    assert_eq!(std::fs::read(artifacts(&home).join("local/x.md")).unwrap(), b"goodbye\n");
    assert!(answers[8].failed && text(8).contains("read-only"), "{}", text(8));
    assert_eq!(home.read("work/.omp/skills/pdf/SKILL.md"), skill);
    assert!(!answers[9].failed && !answers[10].failed, "{} {}", text(9), text(10));
}

/// Every text is searched with the same expressions, be it a file or not, and the tool says which.
// proves: FIL-231
#[test]
fn one_syntax_of_expressions_for_every_text() {
    let search = |pattern: &str, path: &str| call("search", json!({ "pattern": pattern, "paths": [path] }));
    let server = omp_testkit::Server::start([
        write("local://x.md", "settings\n"),
        search("(?<=set)tings", "omp://"),
        search("(?<=set)tings", "local://x.md"),
        search(r"(?i)SETTINGS\b", "omp://settings.md"),
        omp_testkit::Reply::new().text("done"),
    ]);
    let home = crate::support::home(&server, omp_testkit::Wire::OpenAiCompletions);
    crate::support::omp_run(&home, &["-p", "x", "--yolo"]).assert_success();
    let body = server.requests().last().unwrap().body.clone();
    server.finish();
    let tools = body["tools"].as_array().unwrap();
    let search = tools.iter().find(|tool| tool["function"]["name"] == "search").unwrap().to_string();
    assert!(search.contains("Rust syntax, no look-around") && search.contains("internal URLs"), "{search}");
    let messages = body["messages"].as_array().unwrap();
    let told: Vec<&str> = messages
        .iter()
        .filter(|one| one["role"] == "tool")
        .filter_map(|one| one["content"].as_str())
        .collect();
    assert!(told[1].contains("Invalid regex") && told[2].contains("Invalid regex"), "{told:?}");
    assert!(told[3].contains("ettings"), "{}", told[3]);
}

/// Pages of what cannot be changed come without the anchors of edits.
#[test]
fn what_cannot_be_edited_has_no_anchors() {
    let home = Home::new();
    let skill = "---\ndescription: Counts\n---\none\ntwo\nthree\nfour\nfive\nsix\n";
    home.write("work/.omp/skills/count/SKILL.md", skill);
    let output = "printf 'one\\ntwo\\nthree\\nfour\\nfive\\nsix\\n' > \"$(dirname local://x)/../Anna.md\"";
    let urls = ["skill://count:5-5", "agent://Anna:2-2", "artifact://0:2-2"];
    let calls = [bash(output), bash("seq 1 100000")].into_iter().chain(urls.map(read));
    let answers = answers(&home, calls.collect());
    for answer in &answers[2..4] {
        assert!(answer.text.starts_with("one\ntwo\nthree\nfour\nfive\n"), "{}", answer.text);
    }
    assert!(answers[4].text.starts_with("1\n2\n3\n4\n5\n"), "{}", answers[4].text);
}
