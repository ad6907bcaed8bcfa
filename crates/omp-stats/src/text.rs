//! The statistics as text.

use std::fmt::Write;

use crate::summary::{Group, Summary, Totals};

/// Rows of a table; the rest is one line.
const MOST_ROWS: usize = 15;
/// The longest name in a table.
const WIDEST: usize = 48;

impl Summary {
    /// A few lines and tables for people.
    pub fn text(&self) -> String {
        if self.total.requests == 0 {
            return "No requests yet\n".to_owned();
        }
        let total = &self.total;
        let mut text = format!(
            "Requests    {} in {} sessions, {} errors, {} stopped\n",
            total.requests, total.sessions, total.errors, total.aborted
        );
        let _ = writeln!(
            text,
            "Tokens      {} in, {} out, {} from cache, {} to cache",
            short(total.input_tokens),
            short(total.output_tokens),
            short(total.cache_read_tokens),
            short(total.cache_write_tokens)
        );
        let _ = writeln!(text, "Cache rate  {:.1} %", total.cache_rate * 100.0);
        let _ = writeln!(text, "Cost        {}", money(total.cost));

        if self.side.requests > 0 {
            let share = if total.cost > 0.0 { self.side.cost / total.cost * 100.0 } else { 0.0 };
            let _ = writeln!(
                text,
                "            {} of it for {} side requests ({share:.1} %): summaries, titles and similar",
                money(self.side.cost),
                self.side.requests
            );
        }
        let _ = writeln!(
            text,
            "Duration    {}, {} on average",
            time(total.duration_ms),
            time(total.average_duration_ms)
        );
        table(&mut text, "By model", &self.models);
        table(&mut text, "By project", &self.projects);
        let newest = self.days.iter().rev().cloned().collect::<Vec<_>>();
        table(&mut text, "By day", &newest);
        text
    }
}

fn table(text: &mut String, title: &str, groups: &[Group]) {
    let shown = &groups[..groups.len().min(MOST_ROWS)];
    let names: Vec<String> = shown.iter().map(|group| name(&group.name)).collect();
    let wide = names.iter().map(|name| name.chars().count()).chain([title.len()]).max().unwrap_or(0);
    let _ = writeln!(
        text,
        "\n{title:<wide$} {:>9} {:>7} {:>8} {:>8} {:>8} {:>7} {:>10} {:>9}",
        "requests", "errors", "in", "out", "cached", "rate", "cost", "average"
    );
    for (name, Group { totals, .. }) in names.iter().zip(shown) {
        let Totals { requests, errors, input_tokens, output_tokens, cache_read_tokens, .. } = totals;
        let _ = writeln!(
            text,
            "{name:<wide$} {requests:>9} {errors:>7} {:>8} {:>8} {:>8} {:>6.1}% {:>10} {:>9}",
            short(*input_tokens),
            short(*output_tokens),
            short(*cache_read_tokens),
            totals.cache_rate * 100.0,
            money(totals.cost),
            time(totals.average_duration_ms)
        );
    }
    if groups.len() > shown.len() {
        let _ = writeln!(text, "… and {} more (omp stats --json has all)", groups.len() - shown.len());
    }
}

/// A name that fits into a table: the end says more than the beginning. Control characters are not shown.
fn name(full: &str) -> String {
    let letters: Vec<char> = full.chars().filter(|letter| !letter.is_control()).collect();
    match letters.len().checked_sub(WIDEST) {
        None | Some(0) => letters.into_iter().collect(),
        Some(over) => std::iter::once('…').chain(letters.into_iter().skip(over + 1)).collect(),
    }
}

/// A count with three digits and a letter.
pub(crate) fn short(count: u64) -> String {
    let count_of = count as f64;
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{:.1}k", count_of / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", count_of / 1e6),
        _ => format!("{:.1}G", count_of / 1e9),
    }
}

/// Money with as many digits as say something.
pub(crate) fn money(amount: f64) -> String {
    if amount == 0.0 || amount >= 1.0 { format!("${amount:.2}") } else { format!("${amount:.4}") }
}

/// A time in its two largest units.
pub(crate) fn time(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{:.1} s", ms as f64 / 1e3),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([short(999), short(1_500), short(2_340_000)], ["999", "1.5k", "2.3M"]);
        assert_eq!([money(0.0), money(0.0123), money(12.5)], ["$0.00", "$0.0123", "$12.50"]);
        assert_eq!(
            [time(20), time(1_500), time(61_000), time(7_260_000)],
            ["20 ms", "1.5 s", "1 min 1 s", "2 h 1 min"]
        );
        assert_eq!(name(&format!("{}\u{1b}end", "a".repeat(60))), format!("…{}end", "a".repeat(44)));
    }
}
