//! `--export`: a session as a page.

use std::path::Path;

use omp_cli::Launch;
use omp_sdk::{SavedSessions, load_settings};
use serde_json::Map;

use crate::output::{self, Stream};
use crate::{command_context, working_directory};

pub(crate) fn run(launch: &Launch, profile: Option<&str>) -> u8 {
    let Some(session) = &launch.session.export else { return 1 };
    let target = match launch.messages.as_slice() {
        [] => None,
        [path] => Some(Path::new(path)),
        [_, second, ..] => {
            let message = format!("--export writes one page: unexpected argument \"{second}\"");
            return output::fail(&message, &["Quote a path that contains spaces.".to_owned()]);
        }
    };
    let opened = command_context::directories(profile).and_then(|directories| {
        let (cwd, _) = working_directory::enter(launch.place.cwd.as_deref(), true, &directories.home)?;
        let session_dir = launch.session.session_dir.as_ref().map(|directory| cwd.join(directory));
        let (environment, _) = command_context::environment(&directories, &cwd);
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
