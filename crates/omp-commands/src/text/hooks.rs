//! `/hooks`: which programs are asked before calls and told after them.

use std::sync::Arc;

use omp_sdk::Session;
use omp_sdk::hooks::ListedHook;

use crate::answer::{Answer, Columns};

pub(crate) async fn run(session: &Arc<Session>) -> Answer {
    let hooks = session.hooks().await;
    if hooks.is_empty() {
        return Answer::Text("No hooks. docs/hooks.md says where omp looks for them.".to_owned());
    }
    let row = |ListedHook { hook, refused }: &ListedHook| {
        let about = match hook.about.as_str() {
            "" => hook.event.name().to_owned(),
            about => format!("{} {about}", hook.event.name()),
        };
        let command = hook.program.shown();
        let mut what =
            format!("{} ({})", command.lines().next().unwrap_or_default(), hook.source.file.display());
        if let Some(reason) = refused {
            what = format!("{what}: does not run: {reason}");
        }
        (about, what)
    };
    Answer::Table(Columns::new("Hooks", hooks.iter().map(row).collect()))
}
