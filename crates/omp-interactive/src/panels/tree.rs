//! The tree of the conversation in the place of the editor.

use omp_keys::Bindings;
use omp_panels::tree::{self, Filter, Navigator, TreeRequest, Voice};
use omp_sdk::sessions::{Tree, TreeFilter, TreeNode, TreeRow};
use omp_theme::Token;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};
use crate::app::switching;
use crate::app::{App, Task};

/// Of an entry's text so much is shown, in characters.
const LONGEST_TEXT: usize = 300;

/// The tree, and what is chosen from it.
struct TreePanel {
    navigator: Navigator,
    tree: Tree,
    leaf: Option<String>,
}

impl TreePanel {
    fn fill(&mut self) {
        let (filter, query) = self.navigator.wanted();
        let filter = match filter {
            Filter::Default => TreeFilter::Default,
            Filter::NoTools => TreeFilter::NoTools,
            Filter::UserOnly => TreeFilter::UserOnly,
            Filter::LabeledOnly => TreeFilter::LabeledOnly,
            Filter::All => TreeFilter::All,
        };
        let rows = self.tree.rows(filter, query, self.leaf.as_deref()).iter().map(row).collect();
        self.navigator.set_rows(rows);
    }

    /// Whether the conversation stands at an entry; labels are written behind it without going anywhere.
    fn stands_at(&self, entry: &str) -> bool {
        let Some(leaf) = &self.leaf else { return false };
        let way = self.tree.path(leaf);
        way.iter().rev().find(|node| node.name != "label").is_some_and(|node| node.id == entry)
            || leaf == entry
    }

    fn react(&mut self, wish: Option<TreeRequest>) -> Reaction {
        match wish {
            None => Reaction::Stay,
            Some(TreeRequest::Rows(..)) => {
                self.fill();
                Reaction::Stay
            }
            Some(TreeRequest::Close) => Reaction::Close(Box::new(|_| {})),
            Some(TreeRequest::Label(entry, label)) => {
                Reaction::Do(Box::new(move |app| set_label(app, entry, label)))
            }
            Some(TreeRequest::Go(entry)) if self.stands_at(&entry) => {
                Reaction::Close(Box::new(|app| app.hint(Token::Muted, "Already at this point")))
            }
            Some(TreeRequest::Go(entry)) => {
                Reaction::Close(Box::new(move |app| switching::leave_for(app, entry)))
            }
        }
    }
}

impl Panel for TreePanel {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        // The blank row above is a part of the screen, of which the tree takes a half.
        self.navigator.draw(look, Size { height: size.height.next_multiple_of(2), ..size })
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let wish = self.navigator.key(key, keys);
        self.react(wish)
    }

    fn paste(&mut self, text: &str) -> Reaction {
        let wish = self.navigator.paste(text);
        self.react(wish)
    }
}

/// Opens the tree of the conversation.
pub(crate) fn pick_place(app: &mut App) {
    open_tree(app, None);
}

/// Opens the tree of the conversation, at an entry.
pub(crate) fn open_tree(app: &mut App, at: Option<String>) {
    let session = app.session();
    app.spawn(async move {
        let (tree, leaf) = session.tree().load().await;
        Box::new(move |app: &mut App| {
            if tree.rows(TreeFilter::Default, "", leaf.as_deref()).is_empty() {
                app.hint(Token::Warning, "No conversation yet");
                return;
            }
            app.close::<TreePanel>();
            let mut panel = TreePanel { navigator: Navigator::new(app.composer.keys()), tree, leaf };
            panel.fill();
            if let Some(at) = at {
                panel.navigator.select(&at);
            }
            app.open(panel);
        }) as Task
    });
}

fn set_label(app: &mut App, entry: String, label: String) {
    let session = app.session();
    app.spawn(async move {
        let writer = std::sync::Arc::clone(&session);
        let written = tokio::task::spawn_blocking(move || writer.tree().label(&entry, &label)).await;
        let (tree, leaf) = session.tree().load().await;
        Box::new(move |app: &mut App| {
            if let Ok(Err(error)) = written {
                app.complain(&error.to_string());
            }
            if let Some(panel) = app.panels.panel::<TreePanel>() {
                (panel.tree, panel.leaf) = (tree, leaf);
                panel.fill();
            }
            app.surface.changed();
        }) as Task
    });
}

fn row(row: &TreeRow<'_>) -> tree::TreeRow {
    let (voice, who) = speaker(row.node);
    let text: String = row.node.text.chars().take(LONGEST_TEXT).collect();
    // Only the model writes Markdown; whatever else has such signs means them.
    let text = if voice == Voice::Assistant { omp_view::markdown::words(&text) } else { text };
    tree::TreeRow {
        id: row.node.id.clone(),
        voice,
        who,
        text,
        label: row.node.label.clone(),
        depth: row.depth,
        active: row.active,
    }
}

fn speaker(node: &TreeNode) -> (Voice, String) {
    match (node.role, node.name.as_str()) {
        (Some("user"), _) => (Voice::User, "user".to_owned()),
        (Some("assistant"), _) => (Voice::Assistant, "assistant".to_owned()),
        (Some("toolResult"), _) => (Voice::Tool, "tool".to_owned()),
        (Some(role), _) => (Voice::Other, role.to_owned()),
        (None, name) => (Voice::Other, name.replace('_', " ")),
    }
}
