//! Extensions in the terminal.
//!
//! - [`requests`] does what they ask of the app, [`dialogs`] puts their questions, [`switching`] goes to other sessions for
//!   their commands.
//! - [`surfaces`] shows their components: it draws what they said last and asks again, so that no frame waits for a script.
//! - [`commands`] runs their commands and keys, and lets them see what is typed.

pub(crate) mod commands;
mod custom;
mod dialogs;
mod lanes;
mod requests;
mod surfaces;
mod switching;
mod typing;

use std::collections::HashMap;
use std::sync::Arc;

use omp_sdk::extensions::Extensions;

use super::App;
use crate::extensions::{ExtensionScreen, SurfaceId};

pub(crate) use commands::Hearing;
use surfaces::View;

/// What the app knows of extensions.
#[derive(Default)]
pub(crate) struct AppExtensions {
    /// What they share with us; `None` where there cannot be any.
    screen: Option<Arc<ExtensionScreen>>,
    /// Their components that were drawn.
    surfaces: HashMap<SurfaceId, View>,
    /// Commands and keys of theirs that run: what they ask now was called for.
    running: usize,
    /// What was typed and is looked at by them.
    pub(super) hearing: Hearing,
    /// Those of the sessions that were on the screen.
    known: std::collections::BTreeSet<u64>,
    /// The session on the screen, as extensions count them.
    arrived: u64,
    /// What extensions ask for in a session that is not on the screen yet.
    held: std::collections::VecDeque<crate::extensions::ExtensionRequest>,
    /// What was typed and is seen by them first.
    seeing: typing::Seeing,
    /// What the editor of theirs holds, as far as we know.
    told_text: Option<String>,
    /// Keys that they did not get, as they were told of.
    refused_keys: std::collections::BTreeSet<String>,
    /// The session whose keys they were told.
    described_keys: u64,
    /// What was typed for an editor of theirs, on its way.
    typing: HashMap<SurfaceId, tokio::sync::mpsc::Sender<String>>,
}

impl AppExtensions {
    pub(crate) fn new(screen: Option<Arc<ExtensionScreen>>) -> Self {
        Self { screen, ..Self::default() }
    }

    fn screen(&self) -> Option<Arc<ExtensionScreen>> {
        self.screen.clone()
    }
}

impl App {
    /// All extensions of the current session, if there are any.
    fn extension_set(&self) -> Option<Arc<Extensions>> {
        self.session().extensions().set().cloned()
    }
}
