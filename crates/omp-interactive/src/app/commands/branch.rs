//! Choosing a place to branch from.

use omp_sdk::settings::keys;
use omp_theme::Token;
use omp_view::select::{Choice, Selector};

use crate::app::switching;
use crate::app::{App, Task};
use crate::panels::tree;

/// `/branch`: the tree, or where the user wants it, one of the user's messages.
pub(crate) fn pick_branch(app: &mut App) {
    if app.session().settings().get(keys::DOUBLE_ESCAPE_ACTION) == "tree" {
        tree::pick_place(app);
        return;
    }
    let session = app.session();
    app.spawn(async move {
        let prompts = session.tree().prompts().await;
        Box::new(move |app: &mut App| offer_prompts(app, prompts)) as Task
    });
}

fn offer_prompts(app: &mut App, prompts: Vec<(String, String)>) {
    if prompts.is_empty() {
        app.hint(Token::Warning, "No message to branch from yet");
        return;
    }
    let option =
        |(_, text): &(String, String)| Choice::new(text.split_whitespace().collect::<Vec<_>>().join(" "));
    let menu = Selector::new("Branch from a message", prompts.iter().map(option).collect());
    let menu = menu.at(prompts.len() - 1);
    app.pick(menu, move |app, chosen| {
        if let Some((id, _)) = chosen.and_then(|place| prompts.get(place)) {
            let id = id.clone();
            switching::switch_session(app, |host| async move { host.branch(&id).await }, "Branched");
        }
    });
}
