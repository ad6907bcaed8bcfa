//! The same questions for programs and people that read and write lines: numbered options, and answers by number or
//! name.

use super::Choice;

/// How many may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Exactly one.
    One,
    /// Any number, none included.
    Several,
}

/// The question as lines of text.
pub fn ask(title: &str, choices: &[Choice], count: Count) -> String {
    let digits = choices.len().to_string().len();
    let mut text = format!("{title}\n");
    let mut group = "";
    for (number, choice) in (1..).zip(choices) {
        if choice.group != group {
            text.push_str(&format!("{}:\n", choice.group));
            group = &choice.group;
        }
        let remark = if choice.refusal.is_empty() { &choice.detail } else { &choice.refusal };
        let joint = if remark.is_empty() { "" } else { " - " };
        text.push_str(&format!("  {number:>digits$}. {}{joint}{remark}\n", choice.label));
    }
    text.push_str(match count {
        Count::One => "Number or name: ",
        Count::Several => "Numbers or names, with commas between (1,3 or 2-4): ",
    });
    text
}

/// Which options an answer means, in the order of the list. The error says what is wrong with the answer.
pub fn answer(text: &str, choices: &[Choice], count: Count) -> Result<Vec<usize>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let mut chosen = Vec::new();
    for part in parts {
        chosen.extend(one(part, choices)?);
    }
    chosen.sort_unstable();
    chosen.dedup();
    if let Some(refused) =
        chosen.iter().map(|index| &choices[*index]).find(|choice| !choice.refusal.is_empty())
    {
        return Err(format!("{} cannot be chosen: {}", refused.label, refused.refusal));
    }
    match (count, chosen.len()) {
        (Count::One, 0) => Err("choose one of the options".to_owned()),
        (Count::One, 2..) => Err("choose only one of the options".to_owned()),
        _ => Ok(chosen),
    }
}

/// A number, a range of numbers, a name or its beginning.
fn one(part: &str, choices: &[Choice]) -> Result<Vec<usize>, String> {
    // A name that looks like a number is still a name.
    let same = |choice: &Choice| choice.label.eq_ignore_ascii_case(part);
    if let Some(index) = choices.iter().position(same) {
        return Ok(vec![index]);
    }
    let numbers: Option<Vec<usize>> = part.split('-').map(|number| number.trim().parse().ok()).collect();
    let bounds = match numbers.as_deref() {
        Some([number]) => Some((*number, *number)),
        Some([first, last]) => Some((*first, *last)),
        _ => None,
    };
    if let Some((first, last)) = bounds {
        let known = 1 <= first && first <= last && last <= choices.len();
        return if known {
            Ok((first - 1..last).collect())
        } else {
            Err(format!("no option {part}: choose from 1 to {}", choices.len()))
        };
    }
    let lower = part.to_lowercase();
    let begins = |choice: &Choice| choice.label.to_lowercase().starts_with(&lower);
    let mut found = choices.iter().enumerate().filter(|(_, choice)| begins(choice)).map(|(index, _)| index);
    match (found.next(), found.next()) {
        (Some(index), None) => Ok(vec![index]),
        (Some(_), Some(_)) => Err(format!("several options begin with \"{part}\": enter the number")),
        _ => Err(format!("no option named \"{part}\": enter its number")),
    }
}
