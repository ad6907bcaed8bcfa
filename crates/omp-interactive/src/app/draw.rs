//! The rows of every lane.

use omp_editor::{Border, Editor, Frame as Surround, Glyphs, Look as EditorLook, Styles};
use omp_keys::table as actions;
use omp_sdk::settings::{keys, strings};
use omp_sdk::{NO_SANDBOX, PlanState};
use omp_theme::{Preset, Token};
use omp_tui::render::{Painted, Position, Renderer, Size};
use omp_tui::schedule::Extent;
use omp_tui::text::{Attributes, Line, neutral};
use omp_tui::ui::{Anchor, Id, OverlayOptions};
use omp_types::{ThinkingLevel, UserContent};
use omp_view::message;
use omp_view::todo::Todos;
use omp_view::working::Activity;
use omp_view::{Look, status};

use super::App;
use super::attention::Opened;
use crate::app::shown::Shown;
use crate::app::surface::Surface;
use crate::app::{aside, pty};
use crate::pane::Pane;
use crate::panels::Drawn;

/// The editor takes at most this share of the screen.
pub(super) const EDITOR_SHARE: usize = 2;

/// A screen with fewer rows has none to spare.
const LOW: usize = 11;

impl App {
    /// Draws what is due; `None` if nothing is.
    pub(crate) fn paint(&mut self, renderer: &mut Renderer, size: Size) -> Option<Painted> {
        let now = self.surface.now();
        let extent = self.surface.scheduler.take(now)?;
        self.set_turn_clock();
        self.surface.width = size.width;
        pty::note_size(self, size);
        self.decode_pictures(size);
        self.fill(size, &extent);
        let frame = self.surface.ui.compose(size, &extent);
        renderer.ahead(&self.surface.stage.pictures().take_bytes());
        let painted = renderer.paint(&frame.view(), size);
        self.surface.fade_pictures();
        self.ask_for_parts();
        Some(painted)
    }

    fn fill(&mut self, size: Size, extent: &Extent) {
        self.describe_screen(size);
        self.fill_lanes(size, extent);
        self.ask_for_rows();
    }

    fn fill_lanes(&mut self, size: Size, extent: &Extent) {
        let look = self.surface.stage.look(size.width);
        let working = self.working(&look);
        self.surface.set(self.surface.lanes.working, working, None);
        if *extent != Extent::Everything {
            return;
        }
        self.panels.drop_stale_panels();
        let pending = self.shown.pending(&look);
        self.surface.set(self.surface.lanes.pending, pending, None);
        let todos = self.shown.todos(&look);
        self.surface.set(self.surface.lanes.todo, todos, None);
        aside::drop_stale_aside(self);
        let aside = self.panels.aside_rows(&look, size);
        self.surface.set(self.surface.lanes.aside, aside, None);
        let banner = self
            .status
            .banner
            .as_ref()
            .map(|(token, text)| look.wrapped(*token, text, 0))
            .unwrap_or_default();
        self.surface.set(self.surface.lanes.banner, banner, None);
        let above = self.widget_rows(&look, size, false);
        self.surface.set(self.surface.lanes.above, above, None);
        let below = self.widget_rows(&look, size, true);
        self.surface.set(self.surface.lanes.below, below, None);
        let status = self.footer_rows(&look, size).unwrap_or_else(|| self.status(&look));
        self.surface.set(self.surface.lanes.status, status, None);
        let Drawn { rows, cursor } = self.front(&look, size);
        let lane = self.covering().unwrap_or(self.surface.lanes.editor);
        self.surface.set(lane, rows, cursor);
    }

    /// What is in front, or the editor.
    fn front(&mut self, look: &Look, size: Size) -> Drawn {
        self.draw_when_heard();
        let below = self.below_question(look, size);
        let size = Size { height: size.height.saturating_sub(below.rows.len()), ..size };
        let mut drawn = match self.panels.open.first_mut() {
            Some(Opened { panel, .. }) if panel.has_edge() || size.height < LOW => panel.draw(look, size),
            Some(Opened { panel, .. }) => apart(panel.draw(look, Size { height: size.height - 1, ..size })),
            None => return self.foreign_editor(size).unwrap_or_else(|| self.prompt_rows(look, size)),
        };
        let above = drawn.rows.len();
        drawn.cursor =
            below.cursor.map(|cursor| Position { row: cursor.row + above, ..cursor }).or(drawn.cursor);
        drawn.rows.extend(below.rows);
        drawn
    }

    /// The lane over everything, if what is in front wants it. What is tall for a while would else push the conversation
    /// into the terminal's history.
    fn covering(&mut self) -> Option<Id> {
        let front = self.panels.open.first();
        let covers = match front {
            Some(opened) => opened.panel.covers(),
            // As tall as the screen allows, and gone again after the next key.
            None => self.composer.editor.offers_commands(),
        };
        let anchor = front.map_or(Anchor::Below, |opened| opened.panel.anchor());
        match (covers, self.panels.setup.cover) {
            (true, None) => {
                let options = OverlayOptions { anchor, ..OverlayOptions::default() };
                let cover = self.surface.ui.show_overlay(Pane::default(), options);
                self.surface.set(self.surface.lanes.editor, Vec::new(), None);
                self.panels.setup.cover = Some(cover);
            }
            (false, Some(cover)) => {
                self.surface.ui.close_overlay(cover);
                self.panels.setup.cover = None;
            }
            _ => {}
        }
        self.panels.setup.cover
    }

    fn working(&self, look: &Look) -> Vec<Line> {
        let Some(run) = &self.turn.run else { return Vec::new() };
        let running = self.running(run.begun);
        // What is in front takes the key for itself.
        let key = self
            .composer
            .keys
            .hint(actions::INTERRUPT)
            .filter(|_| self.panels.open.is_empty())
            .unwrap_or_default();
        let activity = match self.turn.compacting.activity.as_ref().or(self.turn.retrying.as_ref()) {
            Some(activity) => activity.clone(),
            None => Activity::Working(self.working_message().unwrap_or_else(|| run.what.to_owned())),
        };
        let row = omp_view::working::row(look, &activity, running, &key);
        self.working_as_wanted(look, row, running)
    }

    fn status(&self, look: &Look) -> Vec<Line> {
        let session = self.session();
        let settings = session.settings();
        let text = |list: &[String]| list.to_vec();
        let wanted = status::Settings {
            preset: settings.get(keys::STATUS_LINE_PRESET).to_owned(),
            separator: settings.get(keys::STATUS_LINE_SEPARATOR).to_owned(),
            transparent: settings.get(keys::STATUS_LINE_TRANSPARENT),
            show_hook_status: settings.get(keys::STATUS_LINE_SHOW_HOOK_STATUS),
            left: text(
                &strings(settings.get(keys::STATUS_LINE_LEFT_SEGMENTS))
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            ),
            right: text(
                &strings(settings.get(keys::STATUS_LINE_RIGHT_SEGMENTS))
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            ),
            options: settings.get(keys::STATUS_LINE_SEGMENT_OPTIONS).clone(),
        };
        let facts = status::Facts {
            model: session.model_selector() + if session.models().is_fast() { " fast" } else { "" },
            thinking: Some(self.status.thinking).filter(|level| *level != ThinkingLevel::Off),
            mode: self.shown.mode(),
            approval: Some(self.shown.approval()),
            path: shown_path(&session.cwd(), &self.home()),
            git: self.status.branch.clone().map(|branch| status::Git { branch, ..status::Git::default() }),
            context: Some((self.status.context, session.models().context_window())),
            tokens: self.status.tokens,
            cached: self.status.cached,
            missed: session.prompt_cache().missed(),
            cost: self.status.spent,
            jobs: session.jobs().list().iter().filter(|job| job.status.word() == "running").count(),
            session: session.header().title,
            hooks: self.extension_statuses(),
            running_ms: u64::try_from(self.surface.now().as_millis()).unwrap_or(u64::MAX),
            ..status::Facts::default()
        };
        std::iter::once(Line::new()).chain(status::rows(look, &facts, &wanted)).collect()
    }
}

impl Surface {
    /// The last frame: the conversation stays, everything below it goes.
    pub(crate) fn farewell(&mut self, renderer: &mut Renderer, size: Size) -> Painted {
        let lanes = [
            self.lanes.pending,
            self.lanes.working,
            self.lanes.todo,
            self.lanes.aside,
            self.lanes.banner,
            self.lanes.above,
            self.lanes.status,
            self.lanes.editor,
            self.lanes.below,
        ];
        for lane in lanes {
            if let Some(pane) = self.ui.get_mut::<Pane>(lane) {
                pane.set(Vec::new(), None);
            }
        }
        let frame = self.ui.compose(size, &Extent::Everything);
        renderer.finish(&frame.view(), size)
    }

    fn set(&mut self, lane: omp_tui::ui::Id, rows: Vec<Line>, cursor: Option<Position>) {
        if let Some(pane) = self.ui.get_mut::<Pane>(lane) {
            pane.set(rows, cursor);
        }
    }
}

impl Shown {
    fn pending(&self, look: &Look) -> Vec<Line> {
        let queued = self.session().control().peek_queued();
        let texts = |list: &[UserContent]| list.iter().map(UserContent::text).collect::<Vec<_>>();
        let (steering, later) = (texts(&queued.steering), texts(&queued.follow_ups));
        let hint = match steering.len() + later.len() {
            0 => return Vec::new(),
            1 => "1 message queued (Alt+Up to edit)".to_owned(),
            many => format!("{many} messages queued (Alt+Up to edit)"),
        };
        let mut rows = vec![Line::new()];
        rows.extend(message::queued(look, &steering, &later, &hint));
        rows
    }

    /// The approval mode, and what the sandbox holds as far as that is known yet.
    fn approval(&self) -> status::Approval {
        let session = self.session();
        let mode = session.approval_mode();
        let text = match session.sandbox_rung() {
            None => mode.to_owned(),
            Some(rung) => format!("{mode} ({rung})"),
        };
        status::Approval { text, confined: session.sandbox_rung().is_some_and(|rung| rung != NO_SANDBOX) }
    }

    fn mode(&self) -> Option<String> {
        let session = self.session();
        match (session.plan().state(), session.goal().current()) {
            (PlanState::Planning, _) => Some("plan".to_owned()),
            (PlanState::Paused, _) => Some("plan paused".to_owned()),
            (_, Some(goal))
                if goal.status.is_open() && session.settings().get(keys::GOAL_STATUS_IN_FOOTER) =>
            {
                Some(format!("goal {}", goal.status.word()))
            }
            _ => self.driver.is_looping().then(|| "loop".to_owned()),
        }
    }

    fn todos(&self, look: &Look) -> Vec<Line> {
        let todos = Todos::of_json(&self.session().tasks().to_json()).unwrap_or_default();
        crate::blocks::apart(omp_view::todo::panel(look, &todos))
    }
}

/// A panel with a blank row above it.
fn apart(mut drawn: Drawn) -> Drawn {
    drawn.rows.insert(0, Line::new());
    drawn.cursor = drawn.cursor.map(|cursor| Position { row: cursor.row + 1, ..cursor });
    drawn
}

/// A path with `~` for the home directory.
pub(crate) fn shown_path(path: &std::path::Path, home: &std::path::Path) -> String {
    let shown = match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    };
    neutral::exact_line(&shown).into_owned()
}

/// The rows of an editor with its frame and list of completions, and where the cursor stands.
pub(crate) fn editor_rows(
    editor: &mut Editor,
    look: &Look,
    size: Size,
    border: Border,
    placeholder: &str,
) -> (Vec<Line>, Position) {
    let rendered = editor.render(&EditorLook {
        width: size.width,
        height: (size.height / EDITOR_SHARE).max(3),
        command_rows: 0,
        styles: &styles(look, border),
        frame: Surround::Box,
        title: None,
        title_right: None,
        placeholder,
        keywords: &|_| Vec::new(),
    });
    let mut rows = rendered.rows;
    rows.extend(rendered.popup);
    (rows, rendered.cursor)
}

pub(crate) fn styles(look: &Look, border: Border) -> Styles<'_> {
    let token = match border {
        Border::Shell => Token::BashMode,
        Border::Python => Token::PythonMode,
        Border::Thinking(ThinkingLevel::Off) => Token::ThinkingOff,
        Border::Thinking(ThinkingLevel::Minimal) => Token::ThinkingMinimal,
        Border::Thinking(ThinkingLevel::Low) => Token::ThinkingLow,
        Border::Thinking(ThinkingLevel::Medium) => Token::ThinkingMedium,
        Border::Thinking(ThinkingLevel::High) => Token::ThinkingHigh,
        Border::Thinking(ThinkingLevel::Xhigh | ThinkingLevel::Max) => Token::ThinkingXhigh,
        Border::Normal => Token::Border,
    };
    let glyphs = match look.theme.preset() {
        Preset::Ascii => Glyphs::ASCII,
        Preset::Unicode | Preset::Nerd => Glyphs::UNICODE,
    };
    Styles {
        text: look.fg(Token::Text),
        border: look.fg(token),
        placeholder: look.fg(Token::Dim),
        ghost: look.fg(Token::Dim),
        marker: look.fg(Token::Accent),
        keyword: look.bold(Token::Accent),
        selection: look.theme.bg(Token::SelectedBg),
        popup: look.fg(Token::Text),
        popup_selected: look.fg(Token::Accent).with(Attributes::BOLD),
        popup_detail: look.fg(Token::Muted),
        popup_topic: look.bold(Token::Muted),
        glyphs,
    }
}
