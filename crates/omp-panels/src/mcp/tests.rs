//! Keys in, rows and wishes out.

use std::sync::Arc;

use omp_keys::Bindings;
use omp_tui::input::{Code, Key};

use super::{FieldItem, Health, McpPanel, McpRequest, Report, ServerAction, ServerItem, ToolItem};
use crate::Machine;
use crate::testing::{assert_fits, letters, look, plain, size, text};

fn field(name: &str, required: bool, choices: &[&str]) -> FieldItem {
    let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
    let description = format!("the {name} of it");
    FieldItem {
        name: name.to_owned(),
        kind: "string".to_owned(),
        description,
        required,
        choices,
        ..FieldItem::default()
    }
}

fn sky() -> ServerItem {
    let tool = ToolItem {
        name: "weather".to_owned(),
        description: "Tells the weather".to_owned(),
        fields: vec![field("city", true, &[]), field("unit", false, &["celsius", "kelvin"])],
        schema: "{\n  \"type\": \"object\"\n}".to_owned(),
    };
    ServerItem {
        name: "sky".to_owned(),
        state: "connected".to_owned(),
        health: Health::Good,
        summary: "stdio, 1 tool".to_owned(),
        facts: vec![("Transport", "stdio".to_owned()), ("Last call", "3 ms".to_owned())],
        problem: None,
        actions: vec![ServerAction::Reconnect, ServerAction::Disable],
        tools: Arc::new(vec![tool]),
        resources: vec![("test://a".to_owned(), "a".to_owned())],
        prompts: vec![("/sky:plan".to_owned(), "Plans a day".to_owned())],
        log: vec!["one".to_owned(), "\u{1b}[31mtwo".to_owned()],
    }
}

fn broken() -> ServerItem {
    ServerItem {
        name: "broken".to_owned(),
        state: "disconnected".to_owned(),
        health: Health::Bad,
        problem: Some("cannot start x: no such file".to_owned()),
        ..ServerItem::default()
    }
}

fn panel() -> McpPanel {
    McpPanel::new(vec![sky(), broken()])
}

fn shown(panel: &mut McpPanel) -> String {
    text(&panel.draw(&look(100), size(100, 30)))
}

fn press(panel: &mut McpPanel, keys: &[Key]) -> Option<McpRequest> {
    keys.iter().filter_map(|key| panel.key(*key, &Bindings::default())).last()
}

fn enter() -> Key {
    plain(Code::Enter)
}

/// The panel with the page of the first server, so many tabs to the right.
fn page(tabs: usize) -> McpPanel {
    let mut panel = panel();
    press(&mut panel, &[enter()]);
    press(&mut panel, &vec![plain(Code::Right); tabs]);
    panel
}

#[test]
fn the_list_says_how_each_is_doing() {
    let mut panel = panel();
    let list = shown(&mut panel);
    assert!(list.contains("sky") && list.contains("connected, stdio, 1 tool"), "{list}");
    press(&mut panel, &[plain(Code::Down)]);
    assert!(shown(&mut panel).contains("disconnected: cannot start x: no such file"));
    assert_eq!(press(&mut panel, &[plain(Code::Escape)]), Some(McpRequest::Close));
    let mut empty = McpPanel::new(Vec::new());
    assert!(shown(&mut empty).contains("No MCP servers. Add one with /mcp add"));
}

#[test]
fn a_page_has_facts_and_actions() {
    let mut panel = page(0);
    let rows = shown(&mut panel);
    for part in
        ["● connected", "Transport  stdio", "Last call  3 ms", "Reconnect", "Overview  Tools  Resources"]
    {
        assert!(rows.contains(part), "{part}\n{rows}");
    }
    let wish = press(&mut panel, &[plain(Code::Down), enter()]);
    assert_eq!(wish, Some(McpRequest::Act("sky".to_owned(), ServerAction::Disable)));
    assert!(shown(&mut panel).contains("sky: disable"));
    assert_eq!(press(&mut panel, &letters("x")), None, "one thing at a time");
    assert_eq!(press(&mut panel, &[plain(Code::Escape)]), Some(McpRequest::Stop));
    panel.note("Server \"sky\" disabled", false);
    assert!(shown(&mut panel).contains("Server \"sky\" disabled"));
    press(&mut panel, &[plain(Code::Escape)]);
    assert!(shown(&mut panel).contains("MCP servers"));
}

#[test]
fn resources_prompts_and_the_log() {
    let mut panel = page(2);
    assert!(shown(&mut panel).contains("test://a"));
    let wish = press(&mut panel, &[enter()]);
    assert_eq!(wish, Some(McpRequest::Read("sky".to_owned(), "test://a".to_owned())));
    panel.show(Report { title: "test://a".to_owned(), text: "body\u{7}".to_owned() });
    assert!(shown(&mut panel).contains("body"));
    press(&mut panel, &[plain(Code::Escape), plain(Code::Right)]);
    assert_eq!(press(&mut panel, &[enter()]), Some(McpRequest::Write("/sky:plan".to_owned())));
    press(&mut panel, &[plain(Code::Right)]);
    let rows = shown(&mut panel);
    assert!(rows.contains("one") && rows.contains("␛[31mtwo"), "{rows}");
    let mut more = sky();
    more.log.extend((0..100).map(|number| format!("line {number}")));
    panel.update(vec![more]);
    assert!(shown(&mut panel).contains("line 99"), "the end is in sight");
    press(&mut panel, &[plain(Code::Escape)]);
    assert!(shown(&mut panel).contains("MCP servers"));
}

#[test]
fn a_tool_is_called_with_what_was_typed() {
    let mut panel = page(1);
    press(&mut panel, &[enter()]);
    let rows = shown(&mut panel);
    for part in ["weather", "Tells the weather", "city *", "unit", "string · required · the city of it"] {
        assert!(rows.contains(part), "{part}\n{rows}");
    }
    press(&mut panel, &letters("Pariss"));
    press(&mut panel, &[plain(Code::Backspace), plain(Code::Down), plain(Code::Right), plain(Code::Right)]);
    let called = press(&mut panel, &[enter()]);
    let typed = vec![("city".to_owned(), "Paris".to_owned()), ("unit".to_owned(), "kelvin".to_owned())];
    let call = McpRequest::Call { server: "sky".to_owned(), tool: "weather".to_owned(), typed };
    assert_eq!(called, Some(call));
    assert!(shown(&mut panel).contains("calling weather"));
    panel.refuse("city", "it is unknown");
    assert!(shown(&mut panel).contains("city: it is unknown"));
    press(&mut panel, &letters("!"));
    assert!(shown(&mut panel).contains("Paris!"), "the cursor is where the mistake is");
    panel.show(Report { title: "weather: 3 ms".to_owned(), text: "sunny".to_owned() });
    let rows = shown(&mut panel);
    assert!(rows.contains("weather: 3 ms") && rows.contains("sunny"), "{rows}");
    press(&mut panel, &[plain(Code::Escape), plain(Code::Tab)]);
    assert!(shown(&mut panel).contains("\"type\": \"object\""));
    press(&mut panel, &[plain(Code::Escape), plain(Code::Escape)]);
    assert!(shown(&mut panel).contains("Tells the weather"), "back in the list of tools");
}

#[test]
fn what_is_looked_at_stays_while_servers_change() {
    let mut panel = page(1);
    assert!(!panel.update(vec![sky(), broken()]), "nothing is new");
    let mut more = sky();
    Arc::make_mut(&mut more.tools).insert(0, ToolItem { name: "tides".to_owned(), ..ToolItem::default() });
    assert!(panel.update(vec![broken(), more]));
    let rows = shown(&mut panel);
    assert!(rows.contains("tides") && rows.contains("Tools"), "{rows}");
    panel.update(vec![broken()]);
    assert!(shown(&mut panel).contains("MCP servers"), "a server that is gone has no page");
    press(&mut panel, &[enter(), plain(Code::Right)]);
    assert!(shown(&mut panel).contains("It offers no tools"));
}

#[test]
fn everything_fits() {
    let long = |text: &str| text.repeat(200);
    let mut server = sky();
    server.problem = Some(long("wrong "));
    server.facts.push(("File", long("/path")));
    let tool = &mut Arc::make_mut(&mut server.tools)[0];
    tool.description = long("word ");
    tool.fields = (0..40).map(|number| field(&format!("field_{number}"), true, &[])).collect();
    server.log = vec![long("log "); 50];
    for tabs in 0..5 {
        let mut panel = McpPanel::new(vec![server.clone(), broken()]);
        assert_fits(|look, size| panel.draw(look, size));
        press(&mut panel, &[enter()]);
        press(&mut panel, &vec![plain(Code::Right); tabs]);
        assert_fits(|look, size| panel.draw(look, size));
        if tabs == 1 {
            press(&mut panel, &[enter(), plain(Code::Up)]);
            panel.paste(&long("value "));
            assert_fits(|look, size| panel.draw(look, size));
            panel.note(&long("failed "), true);
            assert_fits(|look, size| panel.draw(look, size));
        }
    }
}
