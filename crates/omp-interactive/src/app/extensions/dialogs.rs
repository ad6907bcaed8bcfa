//! Questions of extensions. Each is answered once: by the user, by its time limit, or because the extension withdraws it.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use omp_keys::Bindings;
use omp_theme::Token;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use omp_view::select::{Choice as ListChoice, Selector};
use serde_json::{Value, json};

use super::custom::Custom;
use super::surfaces::unstyled;
use crate::app::clock::Clock;
use crate::app::{App, Task};
use crate::extensions::{Answering, ExtensionRequest, SurfaceId};
use crate::panels::choice::Choice;
use crate::panels::list::List;
use crate::panels::menu::Menu;
use crate::panels::text::Text;
use crate::panels::{Drawn, Panel, Reaction};

/// Options of one question.
const MOST_OPTIONS: usize = 10_000;

/// Whoever waits for an answer.
type Waiting = Rc<RefCell<Option<Answering>>>;

/// A question with what answers it.
struct Dialog {
    id: SurfaceId,
    panel: Box<dyn Panel>,
    waiting: Waiting,
    /// When nobody waits any more.
    until: Option<Duration>,
    clock: Clock,
    was_called_for: bool,
}

fn settle(waiting: &Waiting, answer: Value) {
    if let Some(waiting) = waiting.borrow_mut().take() {
        let _ = waiting.send(Ok(answer));
    }
}

/// Puts a question.
pub(super) fn ask(app: &mut App, request: ExtensionRequest) {
    let ExtensionRequest { extension, operation, arguments, answer } = request;
    let waiting: Waiting = Rc::new(RefCell::new(answer));
    let text = |name: &str| unstyled(arguments[name].as_str().unwrap_or_default());
    let panel: Box<dyn Panel> = match operation.as_str() {
        "ui.select" => Box::new(list(&arguments, text("title"), &waiting)),
        "ui.confirm" => Box::new(confirmation(text("title"), &text("message"), &waiting)),
        _ => Box::new(words(&operation, &arguments, text("title"), &waiting)),
    };
    let limit = arguments["timeout"].as_f64().filter(|limit| *limit > 0.0);
    let limit = limit.map(|limit| Duration::from_millis(limit.min(86_400_000.0) as u64));
    let id = (extension, arguments["id"].as_str().unwrap_or_default().to_owned());
    if let Some(limit) = limit {
        count_down(app, id.clone(), limit);
    }
    app.surface.notify("An extension asks a question");
    app.open(Dialog {
        id,
        panel,
        waiting,
        until: limit.map(|limit| app.surface.now() + limit),
        clock: app.surface.clock.clone(),
        was_called_for: app.extensions.running > 0,
    });
}

fn list(arguments: &Value, title: String, waiting: &Waiting) -> List {
    let items = arguments["items"].as_array().cloned().unwrap_or_default();
    let labels: Vec<String> = items
        .iter()
        .take(MOST_OPTIONS)
        .map(|item| item["label"].as_str().unwrap_or_default().to_owned())
        .collect();
    let choice = |(item, label): (&Value, &String)| {
        let choice = ListChoice::new(unstyled(label).replace('\n', " "));
        match item["description"].as_str() {
            Some(detail) => choice.detail(unstyled(detail).replace('\n', " ")),
            None => choice,
        }
    };
    let choices: Vec<ListChoice> = items.iter().zip(&labels).map(choice).collect();
    let at =
        arguments["initialIndex"].as_u64().map_or(0, |at| at as usize).min(choices.len().saturating_sub(1));
    let hint = match arguments["helpText"].as_str() {
        Some(help) => unstyled(help).replace('\n', " "),
        None => "Enter: select · Esc: cancel".to_owned(),
    };
    let list = Selector::new(title, choices).at(at).hint(hint);
    let waiting = Rc::clone(waiting);
    List::new(
        list,
        Box::new(move |_, chosen| {
            let label = chosen.and_then(|place| labels.get(place));
            settle(&waiting, json!({"value": label}));
        }),
    )
}

fn confirmation(title: String, message: &str, waiting: &Waiting) -> Choice {
    let rows = message.lines().map(omp_tui::text::Line::plain).collect();
    let waiting = Rc::clone(waiting);
    let menu = Menu::new(title, ["Yes", "No"]).with_text(rows);
    Choice::new(
        menu,
        Box::new(move |_, chosen| settle(&waiting, json!({"value": chosen.map(|place| place == 0)}))),
    )
}

fn words(operation: &str, arguments: &Value, title: String, waiting: &Waiting) -> Text {
    let begun = arguments["prefill"].as_str().unwrap_or_default().to_owned();
    let waiting = Rc::clone(waiting);
    let text = Text::new(title, &begun, move |_, text| settle(&waiting, json!({"value": text})));
    match (operation, arguments["placeholder"].as_str()) {
        ("ui.editor", _) if arguments["promptStyle"] != true => text.with_lines(),
        (_, Some(placeholder)) => text.placeholder(unstyled(placeholder).replace('\n', " ")),
        _ => text,
    }
}

/// Closes a question when its time is up, and shows until then how long that is.
fn count_down(app: &App, id: SurfaceId, limit: Duration) {
    let tasks = app.tasks.clone();
    tokio::spawn(async move {
        let end = tokio::time::Instant::now() + limit;
        let mut next = tokio::time::Instant::now() + Duration::from_secs(1);
        while next < end {
            tokio::time::sleep_until(next).await;
            next += Duration::from_secs(1);
            let drawn: Task = Box::new(|app: &mut App| app.surface.changed());
            if tasks.send(drawn).is_err() {
                return;
            }
        }
        tokio::time::sleep_until(end).await;
        let expired: Task = Box::new(move |app: &mut App| close(app, &id, true));
        let _ = tasks.send(expired);
    });
}

/// Takes a question or a component away.
pub(super) fn close(app: &mut App, id: &SurfaceId, has_expired: bool) {
    app.panels.open.retain_mut(|opened| {
        let panel: &mut dyn std::any::Any = opened.panel.as_mut();
        if let Some(custom) = panel.downcast_mut::<Custom>()
            && custom.surface == *id
        {
            custom.settle();
            return false;
        }
        let Some(dialog) = panel.downcast_mut::<Dialog>().filter(|dialog| dialog.id == *id) else {
            return true;
        };
        settle(&dialog.waiting, json!({"timedOut": has_expired}));
        false
    });
    app.forget_surface(id);
    app.surface.changed();
}

impl Panel for Dialog {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let Some(until) = self.until else { return self.panel.draw(look, size) };
        let left = until.saturating_sub(self.clock.now()).as_secs_f64().ceil();
        let mut drawn = self.panel.draw(look, Size { height: size.height.saturating_sub(1).max(1), ..size });
        drawn.rows.push(look.row(Token::Muted, &format!("Closes in {left} s")));
        drawn
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        self.panel.key(key, keys)
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.panel.paste(text)
    }

    fn has_edge(&self) -> bool {
        self.panel.has_edge()
    }

    fn is_unasked(&self) -> bool {
        !self.was_called_for
    }

    fn is_stale(&self) -> bool {
        self.waiting.borrow().as_ref().is_none_or(tokio::sync::oneshot::Sender::is_closed)
    }
}
