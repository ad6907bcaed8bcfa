//! The clipboard of the machine, through the programs that desktops have for it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_interactive::Clipboard;
use omp_shell::{Environment, Exit, Program, Scope, Stdio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// How long a program may take; some wait for an owner of the clipboard that does not answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// No more is read.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Kinds of pictures, the best first.
const PICTURES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"];

/// The programs of one kind of desktop. `{}` stands for a kind of content.
struct Tools {
    /// The variable that is set where they work.
    variable: &'static str,
    /// Puts its input into the clipboard.
    copy: &'static [&'static str],
    text: &'static [&'static str],
    /// Lists the kinds of content there are.
    kinds: &'static [&'static str],
    picture: &'static [&'static str],
}

const DESKTOPS: [Tools; 3] = [
    Tools {
        variable: "WAYLAND_DISPLAY",
        copy: &["wl-copy"],
        text: &["wl-paste", "--no-newline", "--type", "text"],
        kinds: &["wl-paste", "--list-types"],
        picture: &["wl-paste", "--type", "{}"],
    },
    Tools {
        variable: "DISPLAY",
        copy: &["xclip", "-selection", "clipboard", "-in"],
        text: &["xclip", "-selection", "clipboard", "-out"],
        kinds: &["xclip", "-selection", "clipboard", "-target", "TARGETS", "-out"],
        picture: &["xclip", "-selection", "clipboard", "-target", "{}", "-out"],
    },
    // Set for every program on a Mac.
    Tools {
        variable: "__CFBundleIdentifier",
        copy: &["pbcopy"],
        text: &["pbpaste"],
        kinds: &[],
        picture: &["pngpaste", "-"],
    },
];

/// The programs for the clipboard. What they leave running ends with us.
#[derive(Clone)]
pub(crate) struct Programs {
    scope: Arc<Scope>,
    environment: Environment,
}

impl Programs {
    pub(crate) fn new() -> Self {
        Self { scope: Arc::new(Scope::new()), environment: Environment::inherited() }
    }

    fn desktop(&self) -> Option<&'static Tools> {
        let is_set =
            |tools: &&Tools| self.environment.get(tools.variable).is_some_and(|name| !name.is_empty());
        DESKTOPS.iter().find(is_set)
    }

    /// What a program prints, given this input; `None` unless it succeeds.
    async fn run(&self, words: &[&str], input: Option<&str>, kind: &str) -> Option<Vec<u8>> {
        let (program, arguments) = words.split_first()?;
        let mut child = self
            .scope
            .spawn(Program {
                path: PathBuf::from(program),
                arguments: arguments.iter().map(|word| OsString::from(word.replace("{}", kind))).collect(),
                cwd: PathBuf::from("/"),
                environment: self.environment.clone(),
                stdin: if input.is_some() { Stdio::Piped } else { Stdio::Null },
                stdout: if input.is_some() { Stdio::Null } else { Stdio::Piped },
                stderr: Stdio::Null,
            })
            .ok()?;
        let work = async {
            if let (Some(mut pipe), Some(input)) = (child.stdin.take(), input) {
                pipe.write_all(input.as_bytes()).await.ok()?;
            }
            let mut printed = Vec::new();
            if let Some(pipe) = child.stdout.take() {
                pipe.take(MOST_BYTES).read_to_end(&mut printed).await.ok()?;
            }
            (child.wait().await == Exit::Exited(0)).then_some(printed)
        };
        let done = tokio::time::timeout(PATIENCE, work).await;
        if done.is_err() {
            child.terminate(Duration::ZERO);
        }
        done.ok().flatten()
    }

    async fn read_picture(self) -> Option<Vec<u8>> {
        let tools = self.desktop()?;
        let kind = match tools.kinds {
            [] => PICTURES[0],
            words => {
                let kinds = self.run(words, None, "").await?;
                let kinds = String::from_utf8_lossy(&kinds).into_owned();
                PICTURES.into_iter().find(|kind| kinds.lines().any(|line| line.trim() == *kind))?
            }
        };
        self.run(tools.picture, None, kind).await.filter(|bytes| !bytes.is_empty())
    }

    async fn read_text(self) -> Option<String> {
        let bytes = self.run(self.desktop()?.text, None, "").await?;
        Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|text| !text.is_empty())
    }
}

impl Clipboard for Programs {
    fn copy(&self, text: String) -> BoxFuture<'static, bool> {
        let programs = self.clone();
        async move {
            let Some(tools) = programs.desktop() else { return false };
            programs.run(tools.copy, Some(&text), "").await.is_some()
        }
        .boxed()
    }

    fn picture(&self) -> BoxFuture<'static, Option<Vec<u8>>> {
        self.clone().read_picture().boxed()
    }

    fn text(&self) -> BoxFuture<'static, Option<String>> {
        self.clone().read_text().boxed()
    }
}
