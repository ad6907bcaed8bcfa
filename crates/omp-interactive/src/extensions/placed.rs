//! What extensions have put on the screen and want to stay there.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use omp_tui::text::parse_ansi;
use serde_json::Value;

/// A component, by its extension and the name that it has there.
pub(crate) type SurfaceId = (u64, String);

/// Rows of one widget.
const WIDGET_ROWS: usize = 10;
/// Widgets, and texts in the status line.
const MOST: usize = 50;
/// Letters of one text in the status line.
const STATUS: usize = 500;
/// Frames of an indicator.
const FRAMES: usize = 64;

/// Rows above or below the editor.
pub(crate) struct Widget {
    owner: u64,
    key: String,
    pub(crate) below: bool,
    pub(crate) content: WidgetContent,
}

pub(crate) enum WidgetContent {
    Rows(Vec<String>),
    Surface(SurfaceId),
}

/// How a turn that runs is shown.
#[derive(Default)]
pub(crate) struct Working {
    pub(crate) message: Option<(u64, String)>,
    pub(crate) hidden_by: Option<u64>,
    pub(crate) indicator: Option<(u64, Indicator)>,
}

/// What turns.
pub(crate) struct Indicator {
    pub(crate) frames: Vec<String>,
    pub(crate) interval: Duration,
}

/// Everything that extensions have placed.
#[derive(Default)]
pub(crate) struct Placed {
    /// By their keys, each with whoever set it.
    statuses: BTreeMap<String, (u64, String)>,
    pub(crate) widgets: Vec<Widget>,
    pub(crate) footer: Option<SurfaceId>,
    pub(crate) header: Option<SurfaceId>,
    /// Entries of the session that their extensions draw, each once.
    pub(crate) entries: Vec<SurfaceId>,
    pub(crate) editor: Option<SurfaceId>,
    pub(crate) working: Working,
    pub(crate) thinking_label: Option<(u64, String)>,
    pub(crate) title: Option<(u64, String)>,
    /// Commands, keys or tools are others than before.
    pub(crate) changed: bool,
    /// Components that look different than they did.
    pub(crate) dirty: HashSet<SurfaceId>,
    /// Components that failed, with the reason.
    pub(crate) failed: Vec<(SurfaceId, String)>,
    /// Extensions that see keys first.
    pub(crate) listeners: BTreeSet<u64>,
}

impl Placed {
    /// Does what an operation asks for; `false` if it is about something else.
    pub(crate) fn apply(&mut self, owner: u64, operation: &str, arguments: &Value) -> bool {
        let text = |name: &str| arguments[name].as_str().map(str::to_owned);
        let surface = || (owner, text("surface").unwrap_or_default());
        match operation {
            "ui.setStatus" => self.set_status(owner, text("key").unwrap_or_default(), text("text")),
            "ui.setWidget" => {
                let rows = arguments["lines"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let rows = rows.flat_map(str::lines).take(WIDGET_ROWS).map(str::to_owned).collect();
                self.place_widget(owner, arguments, WidgetContent::Rows(rows));
            }
            "ui.mount" => self.mount(surface(), arguments),
            "ui.unmount" => self.unmount(owner, arguments),
            "ui.setWorkingMessage" => self.working.message = text("message").map(|text| (owner, text)),
            "ui.setWorkingVisible" => {
                self.working.hidden_by = (arguments["visible"] == false).then_some(owner);
            }
            "ui.setWorkingIndicator" => {
                self.working.indicator = indicator(arguments).map(|indicator| (owner, indicator));
            }
            "ui.setHiddenThinkingLabel" => self.thinking_label = text("label").map(|text| (owner, text)),
            "ui.setTitle" | "ui.title" => self.title = text("title").map(|text| (owner, text)),
            "extensions.changed" => self.changed = true,
            "ui.render" => _ = self.dirty.insert(surface()),
            "ui.failed" => self.failed.push((surface(), text("message").unwrap_or_default())),
            "ui.wantInput" if arguments["wanted"] == false => _ = self.listeners.remove(&owner),
            "ui.wantInput" => _ = self.listeners.insert(owner),
            // Completions of extensions are not offered yet.
            "ui.wantCompletions" => {}
            _ => return false,
        }
        true
    }

    fn set_status(&mut self, owner: u64, key: String, text: Option<String>) {
        let Some(text) = text.map(|text| one_line(&text)).filter(|text| !text.is_empty()) else {
            self.statuses.remove(&key);
            return;
        };
        if self.statuses.len() < MOST || self.statuses.contains_key(&key) {
            self.statuses.insert(key, (owner, text));
        }
    }

    /// Texts for the status line, by their keys.
    pub(crate) fn statuses(&self) -> Vec<(String, String)> {
        self.statuses.iter().map(|(key, (_, text))| (key.clone(), text.clone())).collect()
    }

    fn place_widget(&mut self, owner: u64, arguments: &Value, content: WidgetContent) {
        let key = arguments["key"].as_str().unwrap_or_default().to_owned();
        let below = arguments["placement"] == "belowEditor";
        let widget = Widget { owner, key, below, content };
        let same = |other: &Widget| other.owner == widget.owner && other.key == widget.key;
        match self.widgets.iter().position(same) {
            Some(at) => self.widgets[at] = widget,
            None if self.widgets.len() < MOST => self.widgets.push(widget),
            None => {}
        }
    }

    fn mount(&mut self, surface: SurfaceId, arguments: &Value) {
        match arguments["place"].as_str().unwrap_or_default() {
            "footer" => self.footer = Some(surface),
            "header" => self.header = Some(surface),
            "editor" => self.editor = Some(surface),
            "entry" if self.entries.len() < MOST => self.entries.push(surface),
            "entry" => {}
            _ => self.place_widget(surface.0, arguments, WidgetContent::Surface(surface)),
        }
    }

    fn unmount(&mut self, owner: u64, arguments: &Value) {
        let of = |place: &mut Option<SurfaceId>| _ = place.take_if(|(other, _)| *other == owner);
        match arguments["place"].as_str().unwrap_or_default() {
            "footer" => of(&mut self.footer),
            "header" => of(&mut self.header),
            "editor" => of(&mut self.editor),
            "entry" => {}
            _ => {
                let key = arguments["key"].as_str().unwrap_or_default();
                self.widgets.retain(|widget| widget.owner != owner || widget.key != key);
            }
        }
    }

    /// Takes a component away that cannot be drawn any more.
    pub(crate) fn drop_surface(&mut self, surface: &SurfaceId) {
        for place in [&mut self.footer, &mut self.header, &mut self.editor] {
            place.take_if(|other| other == surface);
        }
        let stands =
            |widget: &Widget| matches!(&widget.content, WidgetContent::Surface(other) if other == surface);
        self.widgets.retain(|widget| !stands(widget));
    }

    /// Takes everything away that belongs to extensions which are over.
    pub(crate) fn keep(&mut self, is_alive: impl Fn(u64) -> bool) {
        self.statuses.retain(|_, (owner, _)| is_alive(*owner));
        self.widgets.retain(|widget| is_alive(widget.owner));
        self.entries.retain(|(owner, _)| is_alive(*owner));
        for place in [&mut self.footer, &mut self.header, &mut self.editor] {
            place.take_if(|(owner, _)| !is_alive(*owner));
        }
        self.working.message.take_if(|(owner, _)| !is_alive(*owner));
        self.working.hidden_by.take_if(|owner| !is_alive(*owner));
        self.working.indicator.take_if(|(owner, _)| !is_alive(*owner));
        self.thinking_label.take_if(|(owner, _)| !is_alive(*owner));
        self.title.take_if(|(owner, _)| !is_alive(*owner));
        self.dirty.retain(|(owner, _)| is_alive(*owner));
        self.listeners.retain(|owner| is_alive(*owner));
    }
}

/// Text without escape sequences and control characters, on one line, not too long.
fn one_line(text: &str) -> String {
    let plain: Vec<String> = parse_ansi(text).iter().map(omp_tui::text::Line::text).collect();
    // Signs that stand for control characters are of no more use than these.
    let words = plain.join(" ").replace(|letter| matches!(letter, '\u{2400}'..='\u{2426}'), "");
    let words = words.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let joined = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    joined.chars().take(STATUS).collect()
}

fn indicator(arguments: &Value) -> Option<Indicator> {
    let frames: Vec<String> = arguments["frames"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .take(FRAMES)
        .map(str::to_owned)
        .collect();
    let interval = arguments["intervalMs"].as_u64().unwrap_or(80).clamp(16, 60_000);
    Some(Indicator { frames, interval: Duration::from_millis(interval) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn status_texts_are_cleaned_and_sorted() {
        let mut placed = Placed::default();
        let mut set = |key: &str, text: &str| {
            placed.apply(1, "ui.setStatus", &json!({"key": key, "text": text}));
        };
        set("z", "\x1b[31mred\x1b[0m\n\tand \x1b]0;title\x07more\u{7}");
        set("a", "first");
        set("gone", "x");
        placed.apply(1, "ui.setStatus", &json!({"key": "gone", "text": null}));
        let expected = [("a", "first"), ("z", "red and more")];
        let expected: Vec<(String, String)> =
            expected.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
        assert_eq!(placed.statuses(), expected);
    }

    #[test]
    fn what_an_extension_placed_goes_with_it() {
        let mut placed = Placed::default();
        for owner in [1, 2] {
            placed.apply(owner, "ui.setWidget", &json!({"key": "w", "lines": vec!["row"; 20]}));
            placed.apply(owner, "ui.mount", &json!({"place": "footer", "surface": "footer-1"}));
        }
        assert_eq!(placed.widgets.len(), 2);
        assert!(matches!(&placed.widgets[0].content, WidgetContent::Rows(rows) if rows.len() == WIDGET_ROWS));
        placed.apply(1, "ui.unmount", &json!({"place": "footer"}));
        assert_eq!(placed.footer, Some((2, "footer-1".to_owned())), "it is somebody else's by now");
        placed.keep(|owner| owner == 1);
        assert!(placed.footer.is_none() && placed.widgets.len() == 1);
    }
}
