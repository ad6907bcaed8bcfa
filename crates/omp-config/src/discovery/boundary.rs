//! Whether a project stays with its own files. One that does not is reported, not refused: links and imports to
//! elsewhere are allowed, but what they bring goes to the model.

use std::path::Path;

use super::Discovery;

/// Folders of the user whose Markdown files any project may refer to.
const SHARED: [&str; 7] = [".omp", ".claude", ".codex", ".gemini", ".config/opencode", ".agent", ".agents"];

/// What the user should know if `file` of the project brings text from `target`, elsewhere.
pub(super) fn crossing(discovery: &Discovery, file: &Path, target: &Path) -> Option<String> {
    let real = target.canonicalize().ok()?;
    (!is_inside(discovery, file, &real)).then(|| {
        format!(
            "{} puts {} into the prompt, which is outside the project. Remove it there if you did not expect this",
            file.display(),
            real.display()
        )
    })
}

fn is_inside(discovery: &Discovery, file: &Path, real: &Path) -> bool {
    let places = &discovery.places;
    let below = |root: &Path| root.canonicalize().is_ok_and(|root| real.starts_with(root));
    let project = places.repository.as_ref().unwrap_or(&places.cwd);
    // Without a repository a file above the working directory may refer to its neighbours.
    let own = discovery.ancestors.iter().find(|directory| file.starts_with(directory));
    if below(project) || own.is_some_and(|own| below(own)) {
        return true;
    }
    // Their other files hold credentials.
    let is_markdown = real.extension().is_some_and(|extension| extension == "md");
    is_markdown && (below(&places.agent) || SHARED.iter().any(|shared| below(&places.home.join(shared))))
}
