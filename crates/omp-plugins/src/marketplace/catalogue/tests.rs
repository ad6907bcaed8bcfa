use serde_json::json;

use super::*;

fn parse(value: &Value) -> Result<Catalogue, String> {
    Catalogue::parse(value.to_string().as_bytes())
}

// proves: HOK-078
#[test]
fn bad_entries_are_skipped_and_a_bad_catalogue_names_its_field() {
    let entry = |name: &str| json!({"name": name, "source": "./x", "unknown": [1]});
    let catalogue = parse(&json!({
        "$schema": "x", "name": "team", "owner": {"name": "Ann", "email": "a@b"}, "more": true,
        "plugins": [
            entry("one"), entry("../evil"), entry("ESC\u{1b}[2J"), entry("one"), 7, {"name": "two"},
            {"name": "three", "source": "plugins/three"}, {"name": "four", "source": {"source": "ftp"}},
            {"name": "five", "source": {"source": "github", "repo": "a/../b"}},
            {"name": "six", "source": {"source": "git-subdir", "url": "https://h/r"}},
            {"name": "seven", "source": ".", "version": "1", "author": {"name": "Bo"}, "description": "a\nb\u{7}"},
        ],
    }))
    .unwrap();
    let names: Vec<_> = catalogue.plugins.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["one", "seven"]);
    assert_eq!(catalogue.skipped.len(), 9, "{:#?}", catalogue.skipped);
    assert!(catalogue.skipped.iter().all(|line| !line.contains('\u{1b}')), "{:?}", catalogue.skipped);
    let seven = catalogue.entry("seven").unwrap();
    assert_eq!((seven.description.as_deref(), seven.author.as_deref()), (Some("a b"), Some("Bo")));

    let said = |value: Value| parse(&value).unwrap_err();
    assert_eq!(said(json!([])), "it is not a JSON object");
    assert_eq!(said(json!({})), "`name` must be a string");
    assert!(said(json!({"name": "Team!"})).starts_with("`name` is \"Team!\""));
    assert_eq!(said(json!({"name": "team", "owner": "Ann"})), "`owner.name` must be a string");
    assert_eq!(said(json!({"name": "team", "owner": {"name": "A"}})), "`plugins` must be a list");
    assert!(Catalogue::parse(b"{\"name\": ").is_err());
    assert!(Catalogue::parse(&vec![b' '; MOST_BYTES as usize + 1]).unwrap_err().contains("16 MiB"));
    let many: Vec<_> = (0..MOST_PLUGINS + 1).map(|number| entry(&format!("p{number}"))).collect();
    let said = said(json!({"name": "team", "owner": {"name": "A"}, "plugins": many}));
    assert!(said.starts_with("`plugins` has 20001 entries"), "{said}");
}

#[test]
fn ten_thousand_entries_are_only_many() {
    let plugins: Vec<_> = (0..10_000)
        .map(|number| json!({"name": format!("p{number}"), "source": "./p", "description": "x"}))
        .collect();
    let catalogue = parse(&json!({"name": "m", "owner": {"name": "A"}, "plugins": plugins})).unwrap();
    assert_eq!((catalogue.plugins.len(), catalogue.skipped.len()), (10_000, 0));
    let bad: Vec<_> = (0..10_000).map(|_| json!({"name": "p/../.."})).collect();
    let catalogue = parse(&json!({"name": "m", "owner": {"name": "A"}, "plugins": bad})).unwrap();
    assert_eq!((catalogue.plugins.len(), catalogue.skipped.len()), (0, MOST_SKIPPED));
}

#[test]
fn former_names_lead_to_present_ones() {
    let catalogue = parse(&json!({
        "name": "m", "owner": {"name": "A"}, "plugins": [{"name": "now", "source": "./x"}],
        "renames": {"old": "older", "older": "now", "gone": null, "a": "b", "b": "a", "nowhere": "else", "odd": 3},
    }))
    .unwrap();
    assert_eq!(catalogue.renamed("old"), Some(Renamed::To("now".to_owned())));
    assert_eq!(catalogue.renamed("gone"), Some(Renamed::Gone));
    for none in ["now", "a", "nowhere", "odd", "new"] {
        assert_eq!(catalogue.renamed(none), None, "{none}");
    }
}
