//! Extensions that are loaded before there is a session, because the command line may have flags of theirs.

use std::path::Path;

use omp_cli::{ExtensionFlag, ExtensionFlagKind, FirstPass, Launch, UsageError, parse_second};
use omp_sdk::extensions::{ExtensionSurroundings, FlagKind, FlagSpec, LoadedExtensions};
use omp_sdk::settings::Settings;
use tokio::runtime::Runtime;

use crate::command_context::CommandContext;
use crate::options::{extension_choice, extension_flags};
use crate::runtime;

/// The extensions, and the event loop that they were loaded in.
#[derive(Default)]
pub(crate) struct EarlyExtensions {
    runtime: Option<Runtime>,
    loaded: LoadedExtensions,
}

impl EarlyExtensions {
    /// Loads what the session would load.
    pub(crate) fn load(
        guess: &Launch,
        context: &CommandContext,
        cwd: &Path,
        settings: &Settings,
    ) -> Result<Self, String> {
        let CommandContext { directories, environment } = context;
        let surroundings = ExtensionSurroundings { directories, cwd, settings, environment };
        let choice = extension_choice(guess);
        if !surroundings.has_any(&choice) {
            return Ok(Self::default());
        }
        let runtime = runtime::start()?;
        let loaded = runtime.block_on(surroundings.load(&choice));
        Ok(Self { runtime: Some(runtime), loaded })
    }

    /// Reads the words again with the flags of the extensions, and tells these what was typed.
    pub(crate) fn read(&self, first: &FirstPass) -> Result<Launch, UsageError> {
        let flags: Vec<ExtensionFlag> = self.loaded.flags().into_iter().map(flag).collect();
        let launch = parse_second(first, &flags)?;
        self.loaded.set_flags(extension_flags(&launch));
        Ok(launch)
    }

    /// What the session would have said about them.
    pub(crate) fn remarks(&self) -> &[String] {
        self.loaded.warnings()
    }

    /// For the session that comes now.
    pub(crate) fn into_parts(self) -> (Option<Runtime>, LoadedExtensions) {
        (self.runtime, self.loaded)
    }

    /// No session comes.
    pub(crate) fn end(self) {
        if let Some(runtime) = self.runtime {
            runtime.block_on(self.loaded.end());
            runtime.shutdown_background();
        }
    }
}

fn flag(spec: FlagSpec) -> ExtensionFlag {
    let kind = match spec.kind {
        FlagKind::Boolean => ExtensionFlagKind::Boolean,
        FlagKind::String => ExtensionFlagKind::String,
    };
    ExtensionFlag { name: spec.name, kind }
}
