//! The way from extensions to the screen. What can be answered at once is answered on their thread; everything else waits
//! for the app, a bounded number of requests long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_sdk::Directories;
use omp_sdk::extensions::Port;
use omp_sdk::settings::Settings;
use omp_theme::{Appearance, Theme};
use omp_view::Look;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::facts::{self, ScreenFacts};
use super::placed::Placed;
use crate::appearance::ThemeSettings;

/// Requests that may wait for the app.
const WAITING: usize = 1_000;
/// The longest text that is taken.
const LONGEST: usize = 4 * 1024 * 1024;

/// Answers whoever waits for a request.
pub(crate) type Answering = oneshot::Sender<Result<Value, String>>;

/// Something that an extension wants of the app.
pub(crate) struct ExtensionRequest {
    pub(crate) extension: u64,
    pub(crate) operation: String,
    pub(crate) arguments: Value,
    /// Whoever waits for it.
    pub(crate) answer: Option<Answering>,
}

/// What the port and the app share.
pub(crate) struct ExtensionScreen {
    facts: Mutex<ScreenFacts>,
    placed: Mutex<Placed>,
    themes: Mutex<ThemeSettings>,
    /// The app was told that something is placed, and has not looked yet.
    told: AtomicBool,
}

impl ExtensionScreen {
    pub(crate) fn facts(&self) -> MutexGuard<'_, ScreenFacts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn placed(&self) -> MutexGuard<'_, Placed> {
        self.placed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The app looks now.
    pub(crate) fn looked(&self) {
        self.told.store(false, Ordering::Release);
    }

    /// The theme in use; before the first frame, the one for a dark background.
    fn theme(&self) -> Arc<Theme> {
        if let Some(theme) = &self.facts().theme {
            return Arc::clone(theme);
        }
        let themes = self.themes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (current, _) = themes.open(Appearance::Dark);
        Arc::clone(self.facts().theme.insert(Arc::clone(current.theme())))
    }

    fn theme_names(&self) -> Vec<Value> {
        let themes = self.themes.lock().unwrap_or_else(PoisonError::into_inner);
        themes.names().into_iter().map(|name| json!({"name": name})).collect()
    }

    fn named_theme(&self, name: &str) -> Result<Arc<Theme>, String> {
        let themes = self.themes.lock().unwrap_or_else(PoisonError::into_inner);
        themes.load(name).map_err(|error| error.to_string())
    }

    fn read(&self, operation: &str, arguments: &Value) -> Option<Value> {
        Some(match operation {
            "session.hasUI" => json!(true),
            "ui.theme" => facts::theme(&self.theme()),
            "ui.themes" => json!(self.theme_names()),
            "ui.namedTheme" => {
                let theme = self.named_theme(arguments["name"].as_str().unwrap_or_default());
                theme.map(|theme| facts::theme(&theme)).unwrap_or_default()
            }
            "ui.terminal" => self.facts().terminal(),
            "ui.keybindings" => self.facts().keys.clone(),
            "ui.editorText" => json!(self.facts().editor_text),
            "ui.toolsExpanded" => json!(self.facts().tools_expanded),
            "ui.gitBranch" => json!(self.facts().git_branch),
            "ui.statuses" => Value::Object(
                self.placed().statuses().into_iter().map(|(key, text)| (key, text.into())).collect(),
            ),
            "tui.width" | "tui.graphemes" | "tui.highlight" => {
                facts::of_text(operation, arguments, &Look::new(self.theme(), 80))?
            }
            _ => return None,
        })
    }
}

/// The screen as extensions reach it.
pub struct ExtensionPort {
    screen: Arc<ExtensionScreen>,
    sender: mpsc::Sender<ExtensionRequest>,
}

/// The app's end.
pub struct ExtensionRequests {
    pub(crate) screen: Arc<ExtensionScreen>,
    pub(crate) receiver: mpsc::Receiver<ExtensionRequest>,
}

impl ExtensionPort {
    /// A way to a screen that these settings describe.
    pub fn new(directories: &Directories, settings: &Settings) -> (Arc<Self>, ExtensionRequests) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let screen = Arc::new(ExtensionScreen {
            facts: Mutex::default(),
            placed: Mutex::default(),
            themes: Mutex::new(ThemeSettings::read(directories, settings)),
            told: AtomicBool::new(false),
        });
        (Arc::new(Self { screen: Arc::clone(&screen), sender }), ExtensionRequests { screen, receiver })
    }

    fn send(&self, operation: &str, arguments: Value, answer: Option<Answering>) -> Result<(), String> {
        let extension = arguments["extension"].as_u64().unwrap_or_default();
        let request = ExtensionRequest { extension, operation: operation.to_owned(), arguments, answer };
        self.sender.try_send(request).map_err(|_| format!("{operation}: the interface is too busy"))
    }

    /// Something is placed: the app looks when it can, once for all that comes until then.
    fn tell(&self) {
        if !self.screen.told.swap(true, Ordering::AcqRel)
            && self.send("ui.placed", Value::Null, None).is_err()
        {
            self.screen.looked();
        }
    }

    /// What is known afterwards before the app has done it.
    fn foresee(&self, operation: &str, arguments: &Value) -> Result<Value, String> {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        match operation {
            "ui.setEditorText" => self.screen.facts().editor_text = text("text"),
            "ui.setToolsExpanded" => {
                self.screen.facts().tools_expanded = arguments["expanded"] == true;
            }
            "ui.setTheme" => {
                return Ok(match self.screen.named_theme(&text("name")) {
                    Ok(theme) => {
                        self.screen.facts().theme = Some(theme);
                        json!({"success": true})
                    }
                    Err(error) => json!({"success": false, "error": error}),
                });
            }
            _ => {}
        }
        Ok(Value::Null)
    }
}

impl Port for ExtensionPort {
    fn call_now(&self, operation: &str, arguments: Value) -> Result<Value, String> {
        if let Some(answer) = self.screen.read(operation, &arguments) {
            return Ok(answer);
        }
        if longest(&arguments) > LONGEST {
            return Err(format!("{operation}: the text is too long"));
        }
        let owner = arguments["extension"].as_u64().unwrap_or_default();
        if self.screen.placed().apply(owner, operation, &arguments) {
            self.tell();
            return Ok(Value::Null);
        }
        let answer = self.foresee(operation, &arguments)?;
        match answer["success"] == false {
            true => Ok(answer),
            false => self.send(operation, arguments, None).map(|()| answer),
        }
    }

    fn call(&self, operation: &str, arguments: Value) -> BoxFuture<'static, Result<Value, String>> {
        let (answer, answered) = oneshot::channel();
        if let Err(reason) = self.send(operation, arguments, Some(answer)) {
            return std::future::ready(Err(reason)).boxed();
        }
        // What is dropped unanswered has no answer.
        async { answered.await.unwrap_or(Ok(Value::Null)) }.boxed()
    }
}

fn longest(arguments: &Value) -> usize {
    let fields = arguments.as_object().into_iter().flat_map(|fields| fields.values());
    fields.filter_map(Value::as_str).map(str::len).max().unwrap_or_default()
}
