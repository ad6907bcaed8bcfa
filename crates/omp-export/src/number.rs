//! Numbers and times, short enough for a line below a message.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// `950`, `1.2k`, `34k`, `1.2M`.
pub(crate) fn tokens(count: u64) -> String {
    let short = |value: f64, unit: &str| {
        if value < 9.95 { format!("{value:.1}{unit}") } else { format!("{value:.0}{unit}") }
    };
    match count {
        0..1000 => count.to_string(),
        1000..999_500 => short(count as f64 / 1e3, "k"),
        _ => short(count as f64 / 1e6, "M"),
    }
}

/// `$0.0042`, `$0.31`, `$12.40`.
pub(crate) fn dollars(cost: f64) -> String {
    if cost > 0.0 && cost < 0.1 { format!("${cost:.4}") } else { format!("${cost:.2}") }
}

/// `532 B`, `1.5 KB`, `20 MB`.
pub(crate) fn bytes(count: usize) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{:.1} KB", count as f64 / 1024.0),
        _ => format!("{:.1} MB", count as f64 / 1_048_576.0),
    }
}

/// `9 Oct 2025, 08:53` in UTC, as pages are read anywhere; the text itself if it is no time.
pub(crate) fn moment(timestamp: &str) -> String {
    match timestamp.parse::<Timestamp>() {
        Ok(time) => time.to_zoned(TimeZone::UTC).strftime("%-d %b %Y, %H:%M").to_string(),
        Err(_) => timestamp.chars().take(40).collect(),
    }
}

/// The time of day alone, `08:53`.
pub(crate) fn clock(timestamp: &str) -> Option<String> {
    let time = timestamp.parse::<Timestamp>().ok()?;
    Some(time.to_zoned(TimeZone::UTC).strftime("%H:%M").to_string())
}

/// `1 call`, `2 calls`.
pub(crate) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A text on one line, cut to `limit` characters.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut taken = 0;
    for word in text.split_whitespace() {
        for character in (!line.is_empty()).then_some(' ').into_iter().chain(word.chars()) {
            if taken == limit {
                line.push('…');
                return line;
            }
            line.push(character);
            taken += 1;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms() {
        let shown: Vec<String> =
            [0, 999, 1000, 9_949, 9_950, 999_499, 999_500, 12_000_000].map(tokens).into();
        assert_eq!(shown, ["0", "999", "1.0k", "9.9k", "10k", "999k", "1.0M", "12M"]);
        assert_eq!([0.0, 0.00421, 0.1, 12.4].map(dollars), ["$0.00", "$0.0042", "$0.10", "$12.40"]);
        assert_eq!([5, 1536, 3 << 20].map(bytes), ["5 B", "1.5 KB", "3.0 MB"]);
        assert_eq!(moment("2025-10-09T08:53:20.123Z"), "9 Oct 2025, 08:53");
        assert_eq!(moment("yesterday"), "yesterday");
        assert_eq!(one_line("  a\n b\tc ", 3), "a b…");
        assert_eq!(one_line("äöü", 3), "äöü");
    }
}
