//! `--export`: a session as a page.

use std::path::Path;

use omp_cli::Launch;
use omp_sdk::{SavedSessions, load_settings};
use serde_json::Map;

use crate::output::{self, Stream};
use crate::{place, world};

pub(crate) fn run(launch: &Launch, profile: Option<&str>) -> u8 {
    let Some(session) = &launch.session.export else { return 1 };
    let target = match launch.messages.as_slice() {
        [] => None,
        [path] => Some(Path::new(path)),
        [_, second, ..] => {
            let message = format!("--export writes one page, so there is nothing to do with \"{second}\".");
            return output::fail(&message, &["Put a path with spaces into quotes.".to_owned()]);
        }
    };
    let opened = world::directories(profile).and_then(|directories| {
        let cwd = place::enter(launch.place.cwd.as_deref(), true, &directories.home)?;
        let session_dir = launch.session.session_dir.as_ref().map(|directory| cwd.join(directory));
        let (environment, _) = world::environment(&directories, &cwd);
        let settings =
            load_settings(&directories, &cwd, environment.as_ref(), &launch.place.configs, Map::new())
                .map_err(|error| error.to_string())?;
        let theme = omp_interactive::page_theme(&directories, &settings);
        let saved = SavedSessions::new(&directories, session_dir.as_deref(), &cwd).themed(theme);
        Ok(saved.masked(&directories, &settings, environment.as_ref()))
    });
    let saved = match opened {
        Ok(saved) => saved,
        Err(error) => return output::fail(&error, &[]),
    };
    match saved.export(&session.to_string_lossy(), target) {
        Ok(path) => output::print(Stream::Out, &format!("Exported to: {}\n", path.display())),
        Err(error) => output::fail(&error.to_string(), &[]),
    }
}
