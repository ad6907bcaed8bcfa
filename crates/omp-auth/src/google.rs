//! Google Cloud's application-default credentials: where they are on this machine.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_llm::registry::GoogleDefault;
use omp_llm::{GoogleAuthError, GoogleCredentials, GoogleIdentity, GoogleIdentitySource};
use omp_workspace::open::{OpenedPath, open};

use crate::environment::Environment;

/// A credentials file is a page at most.
const LARGEST: u64 = 64 * 1024;
const METADATA_HOST: &str = "metadata.google.internal";

/// Credentials that are looked for when the first request needs them.
pub fn google_credentials(environment: Arc<dyn Environment>) -> GoogleCredentials {
    GoogleCredentials::new(Machine(environment))
}

/// What can be told without the network: is there a file, and whose project is it?
pub(crate) fn default(environment: &dyn Environment) -> Option<GoogleDefault> {
    let path = file(environment).filter(|path| path.is_file())?;
    let identity = read(&path).ok();
    Some(GoogleDefault { project: identity.and_then(|identity| identity.project().map(str::to_owned)) })
}

struct Machine(Arc<dyn Environment>);

impl GoogleIdentitySource for Machine {
    fn load(&self) -> Result<GoogleIdentity, GoogleAuthError> {
        let named = set(self.0.as_ref(), "GOOGLE_APPLICATION_CREDENTIALS").is_some();
        match file(self.0.as_ref()) {
            // A file that the user named must be there.
            Some(path) if named || path.exists() => read(&path),
            _ => Ok(GoogleIdentity::Machine { metadata: metadata(self.0.as_ref()) }),
        }
    }
}

fn set(environment: &dyn Environment, name: &str) -> Option<String> {
    environment.var(name).filter(|value| !value.trim().is_empty())
}

/// The file the user named, else the one `gcloud` writes.
fn file(environment: &dyn Environment) -> Option<PathBuf> {
    if let Some(named) = set(environment, "GOOGLE_APPLICATION_CREDENTIALS") {
        return Some(PathBuf::from(named));
    }
    let gcloud = set(environment, "CLOUDSDK_CONFIG").map(PathBuf::from);
    let home = || set(environment, "HOME").map(|home| Path::new(&home).join(".config/gcloud"));
    Some(gcloud.or_else(home)?.join("application_default_credentials.json"))
}

fn metadata(environment: &dyn Environment) -> String {
    let host = set(environment, "GCE_METADATA_HOST").unwrap_or_else(|| METADATA_HOST.to_owned());
    format!("http://{host}")
}

fn read(path: &Path) -> Result<GoogleIdentity, GoogleAuthError> {
    let unreadable = |cause: String| GoogleAuthError::Unreadable { place: path.display().to_string(), cause };
    let file = match open(path).map_err(|error| unreadable(error.to_string()))? {
        OpenedPath::File(file, _) => file,
        OpenedPath::Directory => return Err(unreadable("it is a directory".to_owned())),
        OpenedPath::Special(special) => return Err(unreadable(format!("it is {}", special.name()))),
    };
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text).map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > LARGEST {
        return Err(unreadable(format!("it is larger than {LARGEST} bytes")));
    }
    GoogleIdentity::from_json(text.trim_start_matches('\u{feff}'))
        .map_err(|error| unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    struct Fixed(HashMap<&'static str, String>);

    impl Environment for Fixed {
        fn var(&self, name: &str) -> Option<String> {
            self.0.get(name).cloned()
        }
    }

    const PERSON: &str = r#"{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c","quota_project_id":"mine"}"#;

    fn environment(pairs: &[(&'static str, &Path)]) -> Arc<dyn Environment> {
        Arc::new(Fixed(pairs.iter().map(|(name, path)| (*name, path.display().to_string())).collect()))
    }

    #[test]
    fn the_named_file_goes_before_the_one_of_gcloud() {
        let home = tempfile::tempdir().unwrap();
        let gcloud = home.path().join(".config/gcloud");
        std::fs::create_dir_all(&gcloud).unwrap();
        let only_home = environment(&[("HOME", home.path())]);
        assert_eq!(default(only_home.as_ref()), None);
        assert!(
            matches!(Machine(only_home.clone()).load(), Ok(GoogleIdentity::Machine { metadata }) if metadata == "http://metadata.google.internal")
        );
        std::fs::write(gcloud.join("application_default_credentials.json"), PERSON).unwrap();
        assert_eq!(default(only_home.as_ref()).unwrap().project.as_deref(), Some("mine"));
        assert!(matches!(Machine(only_home).load(), Ok(GoogleIdentity::AuthorizedUser(_))));
        let missing = home.path().join("none.json");
        let named = environment(&[("HOME", home.path()), ("GOOGLE_APPLICATION_CREDENTIALS", &missing)]);
        assert_eq!(default(named.as_ref()), None);
        let error = Machine(named).load().unwrap_err().to_string();
        assert!(error.contains("none.json"), "{error}");
    }

    /// Nothing that is no credentials file hangs or fills the memory.
    #[test]
    fn odd_files_are_explained() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        std::fs::create_dir(path("directory")).unwrap();
        std::fs::write(path("large"), vec![b' '; LARGEST as usize + 1]).unwrap();
        std::fs::write(path("broken"), "{\"type\": ").unwrap();
        std::fs::write(path("latin"), b"\xff").unwrap();
        for (name, part) in
            [("directory", "directory"), ("large", "larger"), ("broken", "line 1"), ("latin", "UTF-8")]
        {
            let error = read(&path(name)).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(name), "{error}");
        }
        let device = read(Path::new("/dev/null")).unwrap_err().to_string();
        assert!(device.contains("a character device"), "{device}");
    }
}
