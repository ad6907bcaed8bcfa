//! Sharing in the user's own way: `share.ts`, `share.js`, `share.mjs` or a program `share` in the user's directory gets the
//! conversation as a page, and says where it is then. Where there is one, nothing else is tried.

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_auth::Environment;
use omp_config::Directories;
use omp_config::settings::{Settings, keys};
use omp_export::PageOptions;
use omp_export::share::{Shared, Trim};
use omp_extension_host::{ExtensionForm, ExtensionSource, ExtensionSpec, Extensions};
use omp_guard::secrets::Secrets;
use omp_shell::Scope;
use omp_shell::scope::Exit;
use omp_workspace::write::private_file;
use serde_json::Value;

use crate::extensions::{ExtensionChoice, ExtensionSurroundings};
use crate::saved::share::{ShareError, run};
use crate::saved::transcript_export::{Conversation, PromptAndTools};
use crate::secrets::known;
use crate::secrets::masking::MaskedWriter;

/// Scripts by their names, the first that is there counts; then the program.
const SCRIPTS: [&str; 3] = ["share.ts", "share.js", "share.mjs"];
const PROGRAM: &str = "share";
/// How long it may take.
const LIMIT: Duration = Duration::from_secs(5 * 60);

/// The user's own way to share.
pub(crate) enum ShareHandler {
    Script(PathBuf),
    Program(PathBuf),
}

impl ShareHandler {
    pub(crate) fn find(directories: &Directories) -> Option<Self> {
        let script = SCRIPTS.map(|name| directories.agent.join(name)).into_iter().find(|path| path.is_file());
        let program = directories.agent.join(PROGRAM);
        let runs = |path: &Path| {
            path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        };
        script.map(Self::Script).or_else(|| runs(&program).then_some(Self::Program(program)))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Script(path) | Self::Program(path) => path,
        }
    }

    /// Hands the conversation over. What fails here is not made up for.
    pub(crate) async fn share(
        &self,
        conversation: Conversation,
        told: PromptAndTools,
        blobs: PathBuf,
        directories: &Directories,
        settings: &Settings,
        environment: &Arc<dyn Environment>,
    ) -> Result<Shared, ShareError> {
        let masks = match settings.get(keys::SHARE_REDACT_SECRETS) {
            true => known::masks_here(directories, settings, environment.as_ref()),
            false => None,
        };
        let written = move || Page::write(&conversation, &told, &blobs, masks.as_deref());
        let page = tokio::task::spawn_blocking(written).await.map_err(|_| ShareError::Interrupted)?;
        let failed = |reason: String| ShareError::Handler(self.path().display().to_string(), reason);
        let page = page.map_err(|error| failed(error.to_string()))?;
        let said = match self {
            Self::Script(path) => {
                let cwd = std::env::current_dir().map_err(|error| failed(error.to_string()))?;
                let surroundings = ExtensionSurroundings { directories, cwd: &cwd, settings, environment };
                run_script(&surroundings, path, &page.0).await
            }
            Self::Program(path) => run_program(path, &page.0).await,
        };
        let said = said.map_err(failed)?;
        let text = |name: &str| said[name].as_str().map(str::trim).filter(|text| !text.is_empty());
        let url = text("url").filter(|url| url.starts_with("https://") || url.starts_with("http://"));
        let url = url.ok_or_else(|| failed("it returned no URL".to_owned()))?.to_owned();
        Ok(Shared { url, gist: None, trim: Trim::Nothing, message: text("message").map(str::to_owned) })
    }
}

/// A page that only its owner can read, for as long as it is needed.
struct Page(PathBuf);

impl Page {
    fn write(
        conversation: &Conversation,
        told: &PromptAndTools,
        blobs: &Path,
        masks: Option<&Secrets>,
    ) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("omp-share-{:016x}.html", fastrand::u64(..)));
        let page = Self(path);
        let mut out = MaskedWriter::new(io::BufWriter::new(private_file(&page.0)?), masks);
        let theme = omp_export::Theme::default();
        let system_prompt = told.system.as_deref();
        let options = PageOptions { system_prompt, tools: &told.tools, blobs: Some(blobs), theme };
        let view = conversation.view().map_err(io::Error::other)?;
        omp_export::html(&view, &options, &mut out).map_err(io::Error::other)?;
        out.flush()?;
        Ok(page)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

async fn run_script(around: &ExtensionSurroundings<'_>, script: &Path, page: &Path) -> Result<Value, String> {
    let spec = ExtensionSpec {
        name: "share".to_owned(),
        path: script.to_owned(),
        form: ExtensionForm::Share,
        source: ExtensionSource::User,
    };
    let options = around.options(&ExtensionChoice::default(), Default::default());
    let set = Extensions::load(options, vec![spec]).await;
    let said = match set.failures().pop() {
        Some(failure) => Err(failure.reason),
        None => set.share(page, LIMIT).await,
    };
    set.end().await;
    said
}

async fn run_program(program: &Path, page: &Path) -> Result<Value, String> {
    let scope = Scope::new();
    let page = page.display().to_string();
    let arguments = [page.as_str()];
    let work = run(&scope, program.as_os_str(), &arguments, Vec::new());
    let done = tokio::time::timeout(LIMIT, work).await;
    scope.end().await;
    let (exit, output, errors) = match done {
        Ok(done) => done.map_err(|error| error.to_string())?,
        Err(_) => return Err(format!("it took longer than {} s", LIMIT.as_secs())),
    };
    if exit != Exit::Exited(0) {
        let words = errors.lines().next_back().unwrap_or("it failed without a word").to_owned();
        return Err(words);
    }
    let output = output.trim();
    Ok(serde_json::from_str(output)
        .ok()
        .filter(Value::is_object)
        .unwrap_or_else(|| serde_json::json!({"url": output.lines().next().unwrap_or_default()})))
}
