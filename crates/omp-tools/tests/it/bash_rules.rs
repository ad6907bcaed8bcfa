//! What becomes of a command before it runs.

use crate::support::{Project, text};
use omp_tools::{InterceptRule, Interception};
use serde_json::json;

async fn output(project: &Project, command: &str) -> String {
    let text = text(&project.call("bash", json!({ "command": command })).await.unwrap());
    text.rsplit_once("\n\nWall time: ").unwrap().0.to_owned()
}

/// proves: SHL-006, SHL-007
#[tokio::test]
async fn limits_of_the_output_are_dropped_where_it_is_safe() {
    let mut project = Project::new();
    assert_eq!(output(&project, "seq 100 | tail -5").await.lines().count(), 100);
    assert_eq!(output(&project, "seq 100 2>&1 | head -n 3").await.lines().count(), 100);
    assert_eq!(output(&project, "{ echo a; echo b >&2; } 2>&1").await, "a\nb");
    for (command, expected) in [
        ("echo \"a | head\"", "a | head"),
        ("seq 9 | head -1 | wc -l", "1"),
        ("echo $(seq 9 | head -1)", "1"),
        ("cat <<E | head -1\n1\n2\nE", "1"),
        ("cat <<E\nx | head -1\nE", "x | head -1"),
        ("yes | head -2", "y\ny"),
        ("seq 9 | tail -n +9", "9"),
        ("(seq 9 | head -1)", "1"),
        ("echo x > f 2>&1; cat f", "x"),
    ] {
        assert_eq!(output(&project, command).await, expected, "{command}");
    }
    project.settings.bash.strip_limits = false;
    assert_eq!(output(&project, "seq 100 | tail -5").await, "96\n97\n98\n99\n100");
}

/// proves: SHL-008
#[tokio::test]
async fn a_leading_cd_is_a_working_directory() {
    let project = Project::new();
    project.file("sub/deep/f", "");
    project.file("other/f", "");
    let (here, sub) =
        (project.path().display().to_string(), project.path().join("sub").display().to_string());
    assert_eq!(output(&project, "cd sub && pwd").await, sub);
    let missing = project.call("bash", json!({ "command": "cd none && echo ran" })).await.unwrap_err();
    assert_eq!(missing.message, format!("Working directory does not exist: {here}/none"));
    // What the shell must understand stays with the shell.
    for command in ["cd none || pwd", "cd none >/dev/null 2>&1; pwd"] {
        assert!(output(&project, command).await.ends_with(&here), "{command}");
    }
    let expanded = json!({ "command": "cd $X && pwd", "env": { "X": "sub" } });
    assert!(text(&project.call("bash", expanded).await.unwrap()).starts_with(&format!("{sub}\n")));
    let redirected = project.call("bash", json!({ "command": "cd none 2>&1 && pwd" })).await.unwrap_err();
    assert!(redirected.message.contains("No such file"), "{}", redirected.message);
    let extra = project.call("bash", json!({ "command": "cd sub other && pwd" })).await.unwrap_err();
    assert!(extra.message.contains("too many arguments"), "{}", extra.message);
    // With a directory of its own, the command's cd is the command's.
    let given = project.call("bash", json!({ "command": "cd deep && pwd", "cwd": "sub" })).await.unwrap();
    assert!(text(&given).starts_with(&format!("{sub}/deep\n")), "{}", text(&given));
    // It lasts, as a cd does, and the next one starts from there.
    let bash = project.tool("bash");
    for (command, expected) in
        [("cd sub && pwd", sub.clone()), ("pwd", sub.clone()), ("cd deep && pwd", format!("{sub}/deep"))]
    {
        let arguments = json!({ "command": command });
        let call = crate::support::invocation(&arguments, Default::default(), omp_agent::Updates::ignored());
        assert!(text(&bash.run(call).await.unwrap()).starts_with(&format!("{expected}\n")), "{command}");
    }
}

fn with_tools(project: &mut Project, tools: &[&str], rules: Vec<InterceptRule>) {
    project.settings.bash.interception = Interception::On(rules);
    project.settings.tools = tools.iter().map(|name| (*name).to_owned()).collect();
}

async fn blocked(project: &Project, command: &str) -> Option<String> {
    let refused = project.call("bash", json!({ "command": command })).await.err()?.message;
    refused.starts_with("Blocked: ").then_some(refused)
}

/// proves: SHL-011, SHL-012, SHL-013
#[tokio::test]
async fn commands_with_a_better_tool_are_refused() {
    let mut project = Project::new();
    project.file("f", "text\n");
    let classes = [
        ("read", ["cat f", "head -3 f", "tail f", "less f", "more f"].as_slice()),
        ("search", &["grep text f", "rg text", "ag text", "ack text"]),
        ("find", &["find . -name f", "find . -type f", "fd -t f"]),
        ("edit", &["sed -i s/text/x/ f", "perl -pi -e s/text/x/ f", "awk -i inplace 1 f"]),
        ("write", &["echo x > f", "printf x >> f", "cat > f <<E\nx\nE"]),
    ];
    with_tools(&mut project, &["read", "search", "find", "edit", "write", "bash"], Vec::new());
    for (tool, commands) in classes {
        for command in commands {
            let refused = blocked(&project, command).await.unwrap_or_else(|| panic!("{command} ran"));
            assert!(refused.contains(&format!("`{tool}`")) && refused.contains(command), "{refused}");
        }
    }
    assert_eq!(project.content("f"), b"text\n", "nothing has run");
    with_tools(&mut project, &["search", "bash"], Vec::new());
    assert_eq!(output(&project, "cat f").await, "text", "without the tool the command is all there is");
    project.settings.bash.interception = Interception::Off;
    project.settings.tools = vec!["read".into()];
    assert_eq!(output(&project, "cat f").await, "text");
}

/// proves: SHL-014, SHL-016
#[tokio::test]
async fn what_only_looks_like_it_is_allowed() {
    let mut project = Project::new();
    project.file("a/f", "text\n");
    with_tools(&mut project, &["read", "search", "find", "edit", "write"], Vec::new());
    for (command, expected) in [
        ("echo \"a -> b\"", "a -> b"),
        ("echo x >/dev/null", "(no output)"),
        ("echo x >/dev/stdout", "x"),
        ("echo x 2>/dev/stderr", "x"),
        ("echo x >&2 2>&1", "x"),
        ("printf 'a\\nb\\n' | grep b", "b"),
        ("seq 3 | tail -1 | cat", "3"),
    ] {
        assert_eq!(output(&project, command).await, expected, "{command}");
    }
    assert!(blocked(&project, "echo x 2>/dev/tty >f").await.is_some());
    assert!(blocked(&project, "cd a && cat f").await.is_some(), "also behind a cd");
}

fn rule(pattern: &str, flags: &str, tool: &str) -> InterceptRule {
    let (pattern, flags) = (pattern.to_owned(), flags.to_owned());
    InterceptRule { pattern, flags, tool: tool.to_owned(), message: "ask first.".to_owned() }
}

/// proves: SHL-015
#[tokio::test]
async fn a_rule_that_is_no_expression_is_skipped() {
    let mut project = Project::new();
    with_tools(&mut project, &["read"], vec![rule("(", "", "read"), rule("^deploy", "", "read")]);
    assert_eq!(output(&project, "echo '('").await, "(");
    assert!(blocked(&project, "deploy now").await.unwrap().contains("ask first."));
}

#[tokio::test]
async fn own_rules_go_first_and_obey_their_flags() {
    let mut project = Project::new();
    with_tools(&mut project, &["read"], vec![rule("^cat", "i", "read"), rule("^x", "", "missing")]);
    assert!(blocked(&project, "CAT f").await.unwrap().contains("ask first."));
    assert!(blocked(&project, "cat f").await.unwrap().contains("ask first."));
    assert!(blocked(&project, "xx").await.is_none());
}
