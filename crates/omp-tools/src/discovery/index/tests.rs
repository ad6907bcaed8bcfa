use super::*;

fn tool(
    name: &str,
    label: &str,
    mcp: Option<(&str, &str)>,
    summary: &str,
    keys: &[&str],
) -> DiscoverableTool {
    DiscoverableTool {
        name: name.to_owned(),
        label: label.to_owned(),
        summary: summary.to_owned(),
        server: mcp.map(|(server, _)| server.to_owned()),
        mcp_tool: mcp.map(|(_, tool)| tool.to_owned()),
        schema_keys: keys.iter().map(|key| (*key).to_owned()).collect(),
    }
}

fn corpus() -> ToolIndex {
    let list = Some(("git", "list_issues"));
    let create = Some(("git", "create_issue"));
    ToolIndex::new(vec![
        tool(
            "mcp__git__list_issues",
            "git/list_issues",
            list,
            "List issues of a repository",
            &["repo", "state"],
        ),
        tool(
            "mcp__git__create_issue",
            "git/create_issue",
            create,
            "Open a new issue",
            &["repo", "title", "body"],
        ),
        tool(
            "mcp__mail__send",
            "mail/send",
            Some(("mail", "send")),
            "Send a message to a list",
            &["to", "body"],
        ),
        tool("calculator", "Calculator", None, "Adds numbers", &[]),
    ])
}

fn ranked(index: &ToolIndex, query: &str) -> Vec<(String, f64)> {
    let found = index.search(query).unwrap();
    found.into_iter().map(|found| (found.tool.name, (found.score * 1e6).round() / 1e6)).collect()
}

/// The numbers were computed with a program of another language, from the formula alone.
///
/// proves: TSN-096
#[test]
fn scores_are_those_of_the_formula() {
    let index = corpus();
    let row = |name: &str, score: f64| (name.to_owned(), score);
    assert_eq!(
        ranked(&index, "list issues"),
        [row("mcp__git__list_issues", 5.714537), row("mcp__mail__send", 1.632636)]
    );
    // A word that is asked for twice counts twice.
    assert_eq!(
        ranked(&index, "issue Issue body"),
        [row("mcp__git__create_issue", 8.568843), row("mcp__mail__send", 1.372012)]
    );
    assert_eq!(
        ranked(&index, "git"),
        [row("mcp__git__create_issue", 2.051395), row("mcp__git__list_issues", 2.049324)]
    );
    assert_eq!(
        ranked(&index, "sendMessage repo"),
        [
            row("mcp__mail__send", 6.497136),
            row("mcp__git__create_issue", 1.309883),
            row("mcp__git__list_issues", 1.304794)
        ]
    );
    assert_eq!(ranked(&index, "nothing here fits?"), []);
    let same = |name: &str| tool(name, "same", None, "twin", &[]);
    let twins = ToolIndex::new(vec![same("b"), same("a"), same("c")]);
    let names: Vec<String> = ranked(&twins, "twin").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn a_query_needs_a_word_and_an_empty_index_finds_nothing() {
    assert_eq!(corpus().search(" -- !"), None);
    assert_eq!(ToolIndex::default().search("x"), Some(Vec::new()));
    assert!(ToolIndex::default().is_empty());
}
