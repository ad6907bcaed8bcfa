//! Whether a project stays with its own files. What its context files bring from elsewhere, by an import or through a
//! link, goes to the model; it is left out until the user has agreed to it.

use std::path::{Path, PathBuf};

use omp_guard::protected::{Roots, secret};
use omp_workspace::path::real_path;

use super::Discovery;
use super::disk::{Text, Unread, read_text};

/// What a project may bring in from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Everything: the user says so for this run.
    Everything,
    /// These files, each behind all links.
    Only(Vec<PathBuf>),
}

impl Default for Outside {
    fn default() -> Self {
        Self::Only(Vec::new())
    }
}

/// Why a text is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Barred {
    /// It is outside the project, and nobody has agreed.
    Outside(PathBuf),
    /// It holds credentials.
    Secret(&'static str),
}

impl Barred {
    /// What the user should know.
    pub(super) fn warning(&self, file: &Path) -> String {
        let file = file.display();
        match self {
            Self::Outside(real) => format!(
                "{file} imports {} from outside the project; skipped (to allow it: omp trust add, or \
                 /trust add)",
                real.display()
            ),
            Self::Secret(why) => format!("{file} imports credentials ({why}); skipped"),
        }
    }
}

impl Discovery {
    /// The same with what the user has agreed to.
    #[must_use]
    pub fn admitting(self, outside: Outside) -> Self {
        Self { outside, ..self }
    }

    /// The files outside the project that were left out so far.
    pub fn left_outside(&self) -> Vec<PathBuf> {
        self.disk.left_outside()
    }

    /// The text of a file, unless it is barred.
    pub(super) fn text(&self, path: &Path, limit: usize) -> Result<Text, Unread> {
        let text = read_text(path, limit)?;
        match self.bars(path, path) {
            Some(barred) => Err(Unread::Unusable(barred.warning(path))),
            None => Ok(text),
        }
    }

    /// May the text at `target` be used on behalf of `file`, which is or names it?
    pub(super) fn bars(&self, file: &Path, target: &Path) -> Option<Barred> {
        let real = real_path(target);
        let roots = Roots {
            workspace: &[],
            home: Some(&self.places.home),
            own: std::slice::from_ref(&self.places.agent),
        };
        let paths = [real.as_path(), target];
        if let Some(why) = paths.into_iter().find_map(|path| secret(path, &roots)) {
            return Some(Barred::Secret(why));
        }
        if !self.is_of_project(file) || self.is_inside(file, &real) || self.is_agreed(&real) {
            return None;
        }
        self.disk.leave_outside(&real);
        Some(Barred::Outside(real))
    }

    /// Did the project bring the file along? What is in the user's home directory itself is the user's own.
    fn is_of_project(&self, file: &Path) -> bool {
        let above = self.ancestors.iter().filter(|directory| **directory != self.places.home);
        above.into_iter().any(|directory| file.starts_with(directory))
            && !file.starts_with(&self.places.agent)
    }

    fn is_agreed(&self, real: &Path) -> bool {
        match &self.outside {
            Outside::Everything => true,
            Outside::Only(agreed) => agreed.iter().any(|path| path == real),
        }
    }

    fn is_inside(&self, file: &Path, real: &Path) -> bool {
        let places = &self.places;
        let below = |root: &Path| real.starts_with(real_path(root));
        let project = places.repository.as_ref().unwrap_or(&places.cwd);
        // Without a repository a file above the working directory may refer to its neighbours.
        let own = self.ancestors.iter().find(|directory| file.starts_with(directory));
        below(project) || own.is_some_and(|own| below(own))
    }
}
