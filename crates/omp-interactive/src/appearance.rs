//! How the user wants things to look: what settings and files say about themes and keys.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use omp_keys::Loaded;
use omp_sdk::settings::{Layer, Settings, keys};
use omp_sdk::{Directories, PageColor, PagePalette, PageTheme};
use omp_theme::color::Channels;
use omp_theme::{
    Adjustments, Appearance, Catalog, Current, Debounce, FileWatch, Preset, RELOAD_DELAY, Slots, Theme,
    ThemeError,
};
use tokio::sync::mpsc::UnboundedSender;

use crate::app::Task;

/// The user's themes, and how they are changed.
#[derive(Clone, Debug)]
pub(crate) struct ThemeSettings {
    catalog: Catalog,
    slots: Slots,
    adjustments: Adjustments,
}

impl ThemeSettings {
    /// What the settings say. A preset of symbols counts only if the user chose it: a theme may have its own.
    pub(crate) fn read(directories: &Directories, settings: &Settings) -> Self {
        let usual = Slots::default();
        let slots = Slots {
            dark: settings.get(keys::THEME_DARK).map_or(usual.dark, str::to_owned),
            light: settings.get(keys::THEME_LIGHT).map_or(usual.light, str::to_owned),
        };
        let chosen = settings.origin(keys::SYMBOL_PRESET.path()) != Layer::Default;
        let adjustments = Adjustments {
            symbols: Preset::find(settings.get(keys::SYMBOL_PRESET)).filter(|_| chosen),
            color_blind: settings.get(keys::COLOR_BLIND_MODE),
        };
        Self { catalog: Catalog::new(directories.themes()), slots, adjustments }
    }

    /// The themes that can be chosen.
    pub(crate) fn names(&self) -> Vec<String> {
        self.catalog.names()
    }

    /// A theme, as the settings change it.
    pub(crate) fn load(&self, name: &str) -> Result<Arc<Theme>, ThemeError> {
        Ok(Arc::new((*self.catalog.load(name)?).clone().adjusted(self.adjustments)))
    }

    /// What the settings change in any theme.
    pub(crate) fn adjustments(&self) -> Adjustments {
        self.adjustments
    }

    /// Lets the theme in use be what the settings say.
    pub(crate) fn dress(self, current: &mut Current) -> Result<(), ThemeError> {
        current.set_adjustments(self.adjustments);
        current.set_slots(self.slots)
    }

    /// The theme for a kind of background, and why it is not the user's if it is not.
    pub(crate) fn open(self, appearance: Appearance) -> (Current, Result<(), ThemeError>) {
        Current::new(self.catalog, self.slots, self.adjustments, appearance)
    }
}

/// The user's keys: those of the default profile, then those of the one in use.
pub(crate) fn user_keys(directories: &Directories) -> Loaded {
    let places = directories.keybindings();
    let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
    omp_keys::load(&places)
}

/// Whether a theme is made for a light background; `None` if there is no such theme, or it cannot be read.
pub fn is_light_theme(directories: &Directories, name: &str) -> Option<bool> {
    Catalog::new(directories.themes()).load(name).ok().map(|theme| theme.is_light())
}

/// Can the theme of that name be used?
pub fn check_theme(directories: &Directories, name: &str) -> Result<(), ThemeError> {
    Catalog::new(directories.themes()).load(name).map(drop)
}

/// The colours of exported pages, from the user's two themes. A theme that cannot be read is as if it were not chosen.
pub fn page_theme(directories: &Directories, settings: &Settings) -> PageTheme {
    let ThemeSettings { catalog, slots, .. } = ThemeSettings::read(directories, settings);
    let (themes, plain) = (Slots::default(), PageTheme::default());
    let palette = |name: &str, usual: &str, plain: PagePalette| {
        let theme = catalog.load(name).or_else(|_| catalog.load(usual));
        theme.map_or(plain, |theme| palette(&theme, plain))
    };
    PageTheme {
        dark: palette(&slots.dark, &themes.dark, plain.dark),
        light: palette(&slots.light, &themes.light, plain.light),
    }
}

/// The colours of a theme; where it leaves one to the terminal, that of `plain`.
fn palette(theme: &Theme, plain: PagePalette) -> PagePalette {
    let colors = theme.page_colors();
    let or = |color: Option<Channels>, plain: PageColor| {
        color.map_or(plain, |(red, green, blue)| PageColor(red, green, blue))
    };
    PagePalette {
        background: or(colors.page, plain.background),
        surface: or(colors.card, plain.surface),
        info: or(colors.info, plain.info),
        border: or(colors.border, plain.border),
        text: or(colors.text, plain.text),
        muted: or(colors.muted, plain.muted),
        accent: or(colors.accent, plain.accent),
        success: or(colors.success, plain.success),
        error: or(colors.error, plain.error),
        warning: or(colors.warning, plain.warning),
        keyword: or(colors.keyword, plain.keyword),
        string: or(colors.string, plain.string),
        number: or(colors.number, plain.number),
        function: or(colors.function, plain.function),
    }
}

/// Knows when the file of the theme in use was edited. Nothing wakes up while it is not.
pub(crate) struct ThemeWatch {
    /// Wakes the loop.
    tasks: UnboundedSender<Task>,
    file: Option<PathBuf>,
    watch: Option<FileWatch>,
    changed: (mpsc::Sender<()>, mpsc::Receiver<()>),
    debounce: Debounce,
}

impl ThemeWatch {
    pub(crate) fn new(tasks: UnboundedSender<Task>) -> Self {
        let debounce = Debounce::new(RELOAD_DELAY);
        Self { tasks, file: None, watch: None, changed: mpsc::channel(), debounce }
    }

    /// When to ask again.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.debounce.due()
    }

    /// Whether the theme has to be read again. `file` is that of the theme in use, if it has one; what cannot be
    /// watched is not read again.
    pub(crate) fn fires(&mut self, file: Option<PathBuf>, now: Duration) -> bool {
        if file != self.file {
            let (sender, tasks) = (self.changed.0.clone(), self.tasks.clone());
            let changed = move || {
                let _ = sender.send(());
                let _ = tasks.send(Box::new(|_| {}));
            };
            let there = file.as_deref().filter(|file| file.is_file());
            self.watch = there.and_then(|file| FileWatch::new(file, changed).ok());
            self.file = file;
            // The file may have been edited since the theme was read and before it was watched.
            if self.watch.is_some() {
                self.debounce.changed(now);
            }
        }
        while self.changed.1.try_recv().is_ok() {
            self.debounce.changed(now);
        }
        self.debounce.fire(now)
    }
}
