//! Choosing a place to branch from.

use omp_sdk::settings::keys;
use omp_theme::Token;
use omp_view::select::{Choice, Selector};

use crate::app::{App, Task};

impl App {
    /// `/branch`: the tree, or where the user wants it, one of the user's messages.
    pub(in crate::app) fn pick_branch(&mut self) {
        if self.session().settings().get(keys::DOUBLE_ESCAPE_ACTION) == "tree" {
            self.pick_place();
            return;
        }
        let session = self.session();
        self.spawn(async move {
            let prompts = session.prompts().await;
            Box::new(move |app: &mut Self| app.offer_prompts(prompts)) as Task
        });
    }

    fn offer_prompts(&mut self, prompts: Vec<(String, String)>) {
        if prompts.is_empty() {
            self.hint(Token::Warning, "No message to branch from yet");
            return;
        }
        let option =
            |(_, text): &(String, String)| Choice::new(text.split_whitespace().collect::<Vec<_>>().join(" "));
        let menu = Selector::new("Branch from a message", prompts.iter().map(option).collect());
        let menu = menu.at(prompts.len() - 1);
        self.pick(menu, move |app, chosen| {
            if let Some((id, _)) = chosen.and_then(|place| prompts.get(place)) {
                let id = id.clone();
                app.switch_session(|host| async move { host.branch(&id).await }, "Branched");
            }
        });
    }
}
