//! What can follow the names of commands.

use omp_editor::Offer;
use omp_sdk::Session;

use super::extensions::commands::argument_offers;
use super::surroundings::paths;

/// Most values that are offered.
const MOST: usize = 25;

/// Values for the arguments of a command, of which `text` is typed. May wait for the disk.
pub(super) fn offers(session: &Session, command: &str, text: &str) -> Vec<Offer> {
    match command {
        "model" | "switch" => {
            let choices = session.models().choices().into_iter();
            fitting(choices.map(|choice| (choice.selector, choice.name)), text)
        }
        "force" => {
            let tools = session.prompt_report().tools.iter();
            fitting(tools.map(|tool| (tool.name.clone(), String::new())), text)
        }
        "export" | "import" | "add-dir" | "move" => {
            paths(&session.cwd(), text).into_iter().map(Offer::new).collect()
        }
        _ => argument_offers(session, command, text),
    }
}

/// Those that hold what was typed, first those that begin with it.
fn fitting(values: impl Iterator<Item = (String, String)>, typed: &str) -> Vec<Offer> {
    let typed = typed.trim().to_lowercase();
    let rank = |value: &(String, String)| value.0.to_lowercase().find(&typed).map(|place| place > 0);
    let mut found: Vec<(bool, (String, String))> =
        values.filter_map(|value| Some((rank(&value)?, value))).collect();
    found.sort_by_key(|(inside, _)| *inside);
    let offer = |(_, (value, about)): (bool, (String, String))| Offer::new(value).with_detail(about);
    found.into_iter().take(MOST).map(offer).collect()
}
