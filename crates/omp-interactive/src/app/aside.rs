//! A question on the side: `/btw`. It has a lane of its own below the conversation, and leaves nothing there.

use omp_sdk::AsideError;
use omp_theme::{Symbol, Token};
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_tui::text::width::text_width;
use omp_view::Look;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{App, Task};
use crate::app::panels::Panels;

/// The share of the screen that an answer may take.
const SHARE: usize = 2;

/// The question of the moment, if there is one.
#[derive(Default)]
pub(super) struct Asides {
    asked: u64,
    current: Option<Aside>,
}

impl Asides {
    /// Is a question being answered?
    pub(super) fn is_asking(&self) -> bool {
        self.current.as_ref().is_some_and(|aside| matches!(aside.state, AsideState::Asking))
    }

    /// Is a question on the screen?
    pub(super) fn is_open(&self) -> bool {
        self.current.is_some()
    }
}

/// A question and what came of it so far.
struct Aside {
    /// Tells the words for this one from those for the one before.
    number: u64,
    /// The session that was asked.
    session: u64,
    question: String,
    answer: String,
    state: AsideState,
    /// Stops the model when the question goes.
    _asking: DropGuard,
}

enum AsideState {
    Asking,
    Answered,
    Failed(String),
}

impl Panels {
    fn asked(&mut self, number: u64) -> Option<&mut Aside> {
        self.asides.current.as_mut().filter(|aside| aside.number == number)
    }

    /// The rows of the question and its answer.
    pub(super) fn aside_rows(&self, look: &Look, size: Size) -> Vec<Line> {
        self.asides.current.as_ref().map(|aside| aside.rows(look, size)).unwrap_or_default()
    }
}

/// Asks something on the side. It takes the place of the question before.
pub(crate) fn ask_aside(app: &mut App, question: &str) {
    if question.is_empty() {
        app.hint(Token::Warning, AsideError::Nothing.to_string());
        return;
    }
    app.panels.asides.asked += 1;
    let number = app.panels.asides.asked;
    let cancel = CancellationToken::new();
    app.panels.asides.current = Some(Aside {
        number,
        session: app.shown.number,
        question: question.to_owned(),
        answer: String::new(),
        state: AsideState::Asking,
        _asking: cancel.clone().drop_guard(),
    });
    let (session, tasks, question) = (app.session(), app.tasks.clone(), question.to_owned());
    app.spawn(async move {
        let heard = |words: &str| {
            let words = words.to_owned();
            let task: Task = Box::new(move |app: &mut App| heard_aside(app, number, &words));
            // The program has ended if nobody takes it.
            let _ = tasks.send(task);
        };
        let ended = session.side_tasks().ask(&question, cancel, heard).await;
        Box::new(move |app: &mut App| end_aside(app, number, ended)) as Task
    });
    app.surface.changed();
}

fn heard_aside(app: &mut App, number: u64, words: &str) {
    if let Some(aside) = app.panels.asked(number) {
        aside.answer.push_str(words);
        app.surface.changed();
    }
}

fn end_aside(app: &mut App, number: u64, ended: Result<String, AsideError>) {
    let Some(aside) = app.panels.asked(number) else { return };
    match ended {
        Ok(answer) => (aside.answer, aside.state) = (answer, AsideState::Answered),
        Err(error) => aside.state = AsideState::Failed(error.to_string()),
    }
    app.surface.changed();
}

/// Takes the question away; a model that still answers it is stopped.
pub(crate) fn close_aside(app: &mut App) {
    app.panels.asides.current = None;
    app.surface.changed();
}

/// Forgets a question to a session that was left.
pub(crate) fn drop_stale_aside(app: &mut App) {
    if app.panels.asides.current.as_ref().is_some_and(|aside| aside.session != app.shown.number) {
        app.panels.asides.current = None;
    }
}

impl Aside {
    fn rows(&self, look: &Look, size: Size) -> Vec<Line> {
        let mut rows = vec![Line::new(), self.title(look)];
        let mut answer = omp_view::markdown::render(&look.narrower(2), self.answer.trim());
        match &self.state {
            AsideState::Asking if self.answer.is_empty() => {
                answer.push(look.row(Token::Muted, look.symbol(Symbol::FormatEllipsis)));
            }
            AsideState::Failed(reason) => answer.extend(look.narrower(2).wrapped(Token::Error, reason, 0)),
            AsideState::Asking | AsideState::Answered => {}
        }
        let most = (size.height / SHARE).saturating_sub(rows.len()).max(1);
        let hidden = answer.len().saturating_sub(most);
        if hidden > 0 {
            // While it is being written the end is what is new.
            let from = if matches!(self.state, AsideState::Asking) { hidden } else { 0 };
            answer = answer.into_iter().skip(from).take(most).collect();
        }
        rows.extend(answer.into_iter().map(|line| indented(look, &line)));
        if hidden > 0 {
            let dots = look.symbol(Symbol::FormatEllipsis);
            rows.push(look.row(Token::Dim, &format!("  {dots} {hidden} more rows")));
        }
        rows
    }

    fn title(&self, look: &Look) -> Line {
        const KEY: &str = "  Esc: close";
        let room = look.width.saturating_sub(text_width(KEY) + 5);
        let question = self.question.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut line = Line::styled(look.bold(Token::Accent), "btw ");
        line.push(look.fg(Token::Text), &look.cut(&question, room));
        line.push(look.fg(Token::Dim), KEY);
        line
    }
}

fn indented(look: &Look, line: &Line) -> Line {
    let mut indented = Line::styled(look.fg(Token::Text), "  ");
    indented.append(line);
    indented
}
