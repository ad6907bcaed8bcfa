//! The title of a plan and the file it is in.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of a plan nobody named.
const UNNAMED: &str = "plan";
/// How the names of plan files end.
const ENDING: &str = "plan.md";

/// A plan that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlanFile {
    pub(crate) title: String,
    pub(crate) path: PathBuf,
}

/// Finds the plan that is handed in: by its title, by the file the session knows, else the newest one in `area`.
pub(crate) fn find(area: &Path, supplied: Option<&str>, known: Option<&Path>) -> Result<PlanFile, String> {
    let slug = supplied.map(slug).transpose()?.flatten();
    let by_slug = slug.as_ref().map(|slug| area.join(format!("{slug}-{ENDING}")));
    let named = by_slug.as_deref().filter(|path| path.is_file());
    let known = known.filter(|path| path.is_file());
    let found = named.or(known).map(Path::to_owned).or_else(|| newest(area));
    let Some(path) = found else {
        let name = slug.as_deref().unwrap_or("<slug>");
        return Err(format!(
            "No plan found. Write it to local://{name}-{ENDING}, then call resolve again with extra {{\"title\": \
             \"{name}\"}}."
        ));
    };
    let title = slug.or_else(|| heading(&path)).or_else(|| stem(&path)).unwrap_or_else(|| UNNAMED.to_owned());
    Ok(PlanFile { title, path })
}

/// A title as part of a file name; `None` if nothing of it can be used.
fn slug(title: &str) -> Result<Option<String>, String> {
    if title.contains(['/', '\\']) || title.contains("..") {
        return Err(format!(
            "The title {title:?} is not a valid name: use no slashes and no `..`, e.g. \"fix-login\"."
        ));
    }
    let name = title.trim().strip_suffix(".md").unwrap_or(title.trim());
    Ok(sanitized(name.strip_suffix("-plan").unwrap_or(name)))
}

/// Letters, digits, `_` and `-`; everything else separates.
fn sanitized(text: &str) -> Option<String> {
    let usable = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    let parts: Vec<&str> = text.split(|letter| !usable(letter)).filter(|part| !part.is_empty()).collect();
    Some(parts.join("-")).filter(|name| !name.is_empty())
}

fn heading(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let title = text.lines().find_map(|line| line.strip_prefix("# "))?;
    sanitized(title)
}

fn stem(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    sanitized(stem.strip_suffix("-plan").unwrap_or(stem))
}

/// The plan file that was written last.
pub(crate) fn newest(area: &Path) -> Option<PathBuf> {
    let entries = area.read_dir().ok()?.flatten();
    let plans = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(ENDING));
    let dated = plans.filter_map(|entry| {
        let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path()))
    });
    dated.max().map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn plan(area: &Path, name: &str, text: &str, age: u64) -> PathBuf {
        let path = area.join(name);
        std::fs::write(&path, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        path
    }

    /// proves: LOP-067
    #[test]
    fn titles_and_files_are_found_in_their_order() {
        let area = tempfile::tempdir().unwrap();
        let area = area.path();
        let missing = find(area, Some("fix-login"), None).unwrap_err();
        assert!(missing.contains("local://fix-login-plan.md"), "{missing}");
        let old = plan(area, "old-plan.md", "no heading", 20);
        let new = plan(area, "new-plan.md", "text\n# Make it: so!\n", 10);
        let bare = plan(area, "plan.md", "", 30);
        plan(area, "notes.md", "# Not a plan", 0);

        let found = |title: Option<&str>, known: Option<&Path>| {
            let found = find(area, title, known).unwrap();
            (found.title, found.path)
        };
        assert_eq!(found(Some("old"), Some(&new)), ("old".into(), old.clone()), "by slug");
        assert_eq!(found(Some("Fix: it"), Some(&old)), ("Fix-it".into(), old.clone()), "by state");
        assert_eq!(found(Some("Fix it"), None), ("Fix-it".into(), new.clone()), "the newest");
        assert_eq!(found(Some("old-plan.md"), None).1, old, "the whole name is a title too");
        assert_eq!(found(None, Some(&new)), ("Make-it-so".into(), new), "by its heading");
        assert_eq!(found(None, Some(&old)), ("old".into(), old), "by its name");
        assert_eq!(found(Some("!!"), Some(&bare)).0, "plan", "nothing else is left");
        for refused in ["a/b", "..", "a\\b", "x..y"] {
            assert!(find(area, Some(refused), None).unwrap_err().contains("not a valid name"), "{refused}");
        }
    }
}
