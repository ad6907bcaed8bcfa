use std::path::PathBuf;

use omp_config::discovery::{Level, Origin};

use super::*;
use crate::sections::{always_section, rules_section};

fn rule(name: &str) -> Rule {
    Rule {
        name: name.to_owned(),
        path: PathBuf::from(format!("/nowhere/rules/{name}.md")),
        content: format!("text of {name}"),
        ..Rule::default()
    }
}

fn described(name: &str) -> Rule {
    Rule { description: Some(format!("about {name}")), ..rule(name) }
}

fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

fn from(provider: &'static str, rule: Rule) -> Finding<Rule> {
    let origin = Origin { provider, level: Level::Project, path: rule.path.clone() };
    Finding { item: rule, origin, shadowed_by: None }
}

fn sort_with(rules: Vec<Rule>, settings: &RuleSettings) -> RuleBook {
    let all = rules.into_iter().map(|rule| from("native", rule)).collect();
    RuleBook::sort(Listing { all, warnings: Vec::new() }, settings)
}

fn sort(rules: Vec<Rule>) -> RuleBook {
    sort_with(rules, &RuleSettings::default())
}

fn names(rules: &[Rule]) -> Vec<&str> {
    rules.iter().map(|rule| rule.name.as_str()).collect()
}

// proves: EXT-117
#[test]
fn a_rule_with_a_condition_only_watches() {
    let book = sort(vec![
        Rule { condition: strings(&["TODO"]), always_apply: true, ..described("words") },
        Rule { ast_condition: strings(&["eval($X)"]), always_apply: true, ..described("code") },
    ]);
    assert_eq!(names(book.stream()), ["words", "code"]);
    assert!(book.always().is_empty() && book.listed().is_empty() && book.inactive().is_empty());
    assert_eq!(always_section(&book, &[]), None);
    assert_eq!(rules_section(&book), None);
}

#[test]
fn a_condition_that_cannot_match_does_not_make_a_rule_watch() {
    let book = sort(vec![
        Rule { condition: strings(&["(open"]), always_apply: true, ..rule("broken") },
        Rule { condition: strings(&["(open", "fine"]), ..rule("half") },
        Rule { condition: strings(&["", "  "]), ..described("blank") },
        Rule { condition: strings(&["(?<!no )panic"]), ..rule("behind") },
        Rule { condition: strings(&["((a{1000}){1000}){1000}"]), ..described("huge") },
    ]);
    assert_eq!(names(book.always()), ["broken"]);
    assert_eq!(names(book.stream()), ["half", "behind"]);
    assert_eq!(book.stream()[0].condition, ["fine"]);
    assert_eq!(names(book.listed()), ["blank", "huge"]);
    let warning = &book.warnings()[0];
    assert!(
        warning.contains("`broken`") && warning.contains("`(open`") && warning.contains("broken.md"),
        "{warning}"
    );
    assert_eq!(book.warnings().len(), 3);
}

#[test]
fn the_rest_is_told_listed_or_inactive() {
    let book = sort(vec![
        Rule { always_apply: true, ..described("always") },
        Rule { always_apply: true, ..rule("always-silent") },
        Rule { globs: strings(&["*.rs"]), ..described("listed") },
        Rule { globs: strings(&["*.rs"]), ..rule("silent") },
        Rule { description: Some(" \n".to_owned()), ..rule("blank") },
    ]);
    assert_eq!(names(book.always()), ["always", "always-silent"]);
    assert_eq!(names(book.listed()), ["listed"]);
    assert_eq!(names(book.inactive()), ["silent", "blank"]);
}

#[test]
fn a_disabled_rule_is_in_no_part() {
    let rules = vec![
        Rule { always_apply: true, ..rule("always") },
        described("listed"),
        Rule { condition: strings(&["x"]), ..rule("stream") },
        rule("inactive"),
    ];
    let disabled = strings(&["always", "listed", "stream", "inactive"]);
    let book = sort_with(rules, &RuleSettings { disabled, ..RuleSettings::default() });
    let parts = [book.always(), book.listed(), book.stream(), book.inactive()];
    assert!(parts.iter().all(|part| part.is_empty()));
    assert!(book.reachable("listed").is_none());
}

#[test]
fn embedded_rules_have_a_switch() {
    let all = || vec![from("native", described("own")), from(EMBEDDED, described("ours"))];
    let listing = || Listing { all: all(), warnings: Vec::new() };
    assert_eq!(names(RuleBook::sort(listing(), &RuleSettings::default()).listed()), ["own", "ours"]);
    let settings = RuleSettings { builtin: false, ..RuleSettings::default() };
    assert_eq!(names(RuleBook::sort(listing(), &settings).listed()), ["own"]);
}

#[test]
fn without_watching_conditions_do_not_count() {
    let rules = vec![
        Rule { condition: strings(&["x"]), always_apply: true, ..rule("a") },
        Rule { condition: strings(&["x"]), ..described("b") },
        Rule { condition: strings(&["x"]), ..rule("c") },
    ];
    let book = sort_with(rules, &RuleSettings { stream: StreamRules::Ignore, ..RuleSettings::default() });
    assert_eq!(
        (names(book.always()), names(book.listed()), names(book.inactive())),
        (vec!["a"], vec!["b"], vec!["c"])
    );
    assert!(book.stream().is_empty());
}

#[test]
fn the_first_rule_of_a_name_counts() {
    let first = Rule { content: "first".to_owned(), ..described("same") };
    let book = sort(vec![first, Rule { always_apply: true, ..rule("same") }]);
    assert_eq!(book.reachable("same").expect("a rule").content, "first");
    assert!(book.always().is_empty());
}

#[test]
fn globs_in_conditions_become_scopes() {
    let rule = normalise(Rule { condition: strings(&["*.rs"]), scope: strings(&["text"]), ..rule("files") });
    assert_eq!(rule.condition, [".*"]);
    assert_eq!(rule.scope, ["text", "tool:edit(*.rs)", "tool:write(*.rs)"]);
    let rule = normalise(Rule { condition: strings(&["*.rs", "unwrap"]), ..Rule::default() });
    assert_eq!(rule.condition, ["unwrap"]);
    assert_eq!(rule.scope, ["tool:edit(*.rs)", "tool:write(*.rs)"]);
    assert_eq!(normalise(rule.clone()), rule, "a second time changes nothing");
}

#[test]
fn globs_and_expressions_are_told_apart() {
    let globs = ["*.rs", "*.{ts,tsx}", "src/**/*.ts", "**/*.md", "src/*.c", "docs/**", "test_*.py", "**"];
    let expressions = [
        "TODO",
        ".*",
        "foo.*bar",
        r"\bunwrap\(\)",
        "a*b",
        "console.log",
        "fn .*",
        "^use",
        "x+",
        "(a|b)*",
        "[a-z]*",
        "unwrap.*.rs",
        "TODO*",
        "",
    ];
    for glob in globs {
        assert_eq!(
            normalise(Rule { condition: strings(&[glob]), ..Rule::default() }).scope.len(),
            2,
            "{glob}"
        );
    }
    for expression in expressions {
        let rule = normalise(Rule { condition: strings(&[expression]), ..Rule::default() });
        assert!(rule.scope.is_empty(), "{expression}");
    }
}
