//! Which sessions a person means by a few letters.

use crate::list::SessionInfo;

/// What a match in the prompt history is worth: less than one in a title, more than one in a path.
const IN_HISTORY: u32 = 40;

/// The sessions that a query matches, the best first; sessions that match equally well keep their order. All
/// words must be found: as they are, or as letters in the right order in a title, a first message or a directory.
///
/// `in_history` are the ids of sessions in which a matching prompt was typed; these match in any case.
pub fn rank_sessions<'a>(
    sessions: &'a [SessionInfo],
    query: &str,
    in_history: &[String],
) -> Vec<&'a SessionInfo> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return sessions.iter().collect();
    }
    let mut found: Vec<(u32, &SessionInfo)> = sessions
        .iter()
        .filter_map(|session| {
            let typed = in_history.contains(&session.id).then_some(IN_HISTORY);
            score(session, &words).into_iter().chain(typed).max().map(|score| (score, session))
        })
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, session)| session).collect()
}

/// The sum over all words; `None` if one is nowhere.
fn score(session: &SessionInfo, words: &[String]) -> Option<u32> {
    let title = session.title.clone().unwrap_or_default().to_lowercase();
    let first = session.first_message.to_lowercase();
    let cwd = session.cwd.to_string_lossy().to_lowercase();
    let path = session.path.to_string_lossy().to_lowercase();
    let text = session.all_messages_text.get().to_lowercase();
    let id = session.id.to_lowercase();
    words
        .iter()
        .map(|word| {
            let plain = [
                (id.starts_with(word.as_str()), 100),
                (begins_word(&title, word), 90),
                (title.contains(word.as_str()), 80),
                (begins_word(&first, word), 70),
                (first.contains(word.as_str()), 60),
                (text.contains(word.as_str()), 50),
                (cwd.contains(word.as_str()), 30),
                (path.contains(word.as_str()) || id.contains(word.as_str()), 20),
            ];
            let found = plain.iter().find(|(matches, _)| *matches).map(|(_, score)| *score);
            found.or_else(|| [&title, &first, &cwd].iter().any(|text| in_order(text, word)).then_some(5))
        })
        .sum()
}

fn begins_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
}

fn in_order(text: &str, word: &str) -> bool {
    let mut letters = text.chars();
    word.chars().all(|wanted| letters.any(|letter| letter == wanted))
}
