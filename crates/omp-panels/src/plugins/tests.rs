//! Keys in, rows and wishes out.

use omp_keys::Bindings;
use omp_tui::input::{Code, Key};

use super::{PluginAction, PluginItem, PluginsPanel, PluginsRequest};
use crate::Machine;
use crate::testing::{assert_fits, letters, look, plain, size, text};

fn review() -> PluginItem {
    PluginItem {
        id: "review@team".to_owned(),
        description: "Reviews \u{1b}[2Jchanges".to_owned(),
        facts: vec![("Version", "1.2.0".to_owned()), ("Author", "Ann".to_owned())],
        actions: vec![PluginAction::Install, PluginAction::InstallHere],
        ..PluginItem::default()
    }
}

fn installed() -> PluginItem {
    PluginItem {
        id: "tests@team".to_owned(),
        state: "1.0.0 (user)".to_owned(),
        is_installed: true,
        actions: vec![PluginAction::Disable, PluginAction::Uninstall],
        ..PluginItem::default()
    }
}

fn panel() -> PluginsPanel {
    PluginsPanel::new(vec![installed(), review()])
}

fn shown(panel: &mut PluginsPanel) -> String {
    text(&panel.draw(&look(100), size(100, 30)))
}

fn press(panel: &mut PluginsPanel, keys: &[Key]) -> Option<PluginsRequest> {
    keys.iter().filter_map(|key| panel.key(*key, &Bindings::default())).last()
}

#[test]
fn a_plugin_is_found_and_installed() {
    let mut panel = panel();
    let list = shown(&mut panel);
    assert!(list.contains("Installed") && list.contains("Available") && !list.contains('\u{1b}'), "{list}");
    press(&mut panel, &letters("review"));
    assert!(!shown(&mut panel).contains("tests@team"));
    press(&mut panel, &[plain(Code::Enter)]);
    let page = shown(&mut panel);
    assert!(page.contains("1.2.0") && page.contains("Install here"), "{page}");
    let wish = press(&mut panel, &[plain(Code::Enter)]);
    assert_eq!(wish, Some(PluginsRequest::Act("review@team".to_owned(), PluginAction::Install)));
    assert!(panel.is_running() && shown(&mut panel).contains("review@team: install"));
    assert_eq!(press(&mut panel, &[plain(Code::Enter)]), None, "one thing at a time");
    assert_eq!(press(&mut panel, &[plain(Code::Escape)]), Some(PluginsRequest::Stop));

    let now = PluginItem { actions: vec![PluginAction::Uninstall], is_installed: true, ..review() };
    panel.update(vec![installed(), now]);
    panel.note("review@team 1.2.0 installed (user)", false);
    let page = shown(&mut panel);
    assert!(page.contains("installed (user)") && page.contains("Uninstall"), "{page}");
    press(&mut panel, &[plain(Code::Escape)]);
    press(&mut panel, &[plain(Code::Escape)]);
    assert_eq!(press(&mut panel, &[plain(Code::Escape)]), Some(PluginsRequest::Close));
}

#[test]
fn an_empty_browser_says_what_to_do() {
    let mut empty = PluginsPanel::new(Vec::new());
    assert!(shown(&mut empty).contains("/marketplace add"));
    assert_eq!(press(&mut empty, &[plain(Code::Escape)]), Some(PluginsRequest::Close));
}

#[test]
fn every_size_is_kept() {
    let mut panel = panel();
    assert_fits(|look, size| panel.draw(look, size));
    press(&mut panel, &[plain(Code::Down), plain(Code::Enter)]);
    assert_fits(|look, size| panel.draw(look, size));
}
