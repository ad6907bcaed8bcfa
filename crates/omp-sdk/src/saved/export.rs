//! A session as a page.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use omp_export::{PageOptions, SessionView, target};
use omp_guard::secrets::Secrets;
use omp_workspace::write::private_file;

use crate::saved::SavedError;
use crate::saved::transcript_export::PromptAndTools;
use crate::secrets::masking::MaskedWriter;

/// Writes the page of a session, which only its owner can read, and returns its path. A page that exists is replaced when
/// the new one is whole.
pub(crate) fn page(
    session: &Path,
    asked: Option<&Path>,
    cwd: &Path,
    blobs: &Path,
    theme: omp_export::Theme,
    told: &PromptAndTools,
    masks: Option<&Secrets>,
) -> Result<PathBuf, SavedError> {
    let path = match asked {
        Some(path) => cwd.join(path),
        // Nothing was typed, so nothing can be wrong with it.
        None => target("", session, cwd).unwrap_or_else(|_| cwd.join("omp-session.html")),
    };
    let view = SessionView::open(session)?;
    let failed = |source| SavedError::Write { path: path.clone(), source };
    let system_prompt = told.system.as_deref();
    let options = PageOptions { system_prompt, tools: &told.tools, blobs: Some(blobs), theme };
    // A terminal or a pipe cannot be replaced.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let file = File::options().write(true).open(&path).map_err(failed)?;
        write(&view, &options, file, masks)?;
        return Ok(path);
    }
    let unfinished = Unfinished(beside(&path));
    write(&view, &options, private_file(&unfinished.0).map_err(failed)?, masks)?;
    std::fs::rename(&unfinished.0, &path).map_err(failed)?;
    Ok(path)
}

fn write(
    view: &SessionView<'_>,
    options: &PageOptions<'_>,
    file: File,
    masks: Option<&Secrets>,
) -> Result<(), SavedError> {
    let mut out = MaskedWriter::new(BufWriter::new(file), masks);
    omp_export::html(view, options, &mut out)?;
    let synced = out.flush().and_then(|()| match out.inner().get_ref().sync_all() {
        // Not everything that can be written can be synced.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    });
    Ok(synced.map_err(omp_export::HtmlError::Write)?)
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// Removed unless it was given its name.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
