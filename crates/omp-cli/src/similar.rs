//! The word that somebody meant.

/// The known word that `typed` was probably meant to be. One slip per three letters is a typing error; more is another word, and a wrong guess is worse than none.
pub(crate) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.trim().to_lowercase();
    let allowed = typed.chars().count() / 3;
    known
        .into_iter()
        .map(|known| (strsim::osa_distance(&typed, &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= allowed)
        // Swapped letters are the likelier slip: `modle` is `model` rather than `mode`.
        .min_by_key(|(distance, known)| (*distance, known.len().abs_diff(typed.len())))
        .map(|(_, known)| known)
}
