//! Timestamps: ISO 8601 in UTC with milliseconds, as headers and entries carry them.

use jiff::Timestamp;

pub(crate) fn now() -> String {
    text(Timestamp::now())
}

/// The text of a time in milliseconds since 1970; the present for 0 and for what no calendar has.
pub(crate) fn from_millis(millis: u64) -> String {
    let known = i64::try_from(millis).ok().filter(|millis| *millis > 0);
    known.and_then(|millis| Timestamp::from_millisecond(millis).ok()).map_or_else(now, text)
}

/// Milliseconds since 1970; 0 when the text is not a time.
pub(crate) fn to_millis(text: &str) -> u64 {
    let parsed = text.parse::<Timestamp>().ok();
    parsed.and_then(|time| u64::try_from(time.as_millisecond()).ok()).unwrap_or(0)
}

fn text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_number_agree() {
        assert_eq!(from_millis(1_760_000_000_123), "2025-10-09T08:53:20.123Z");
        assert_eq!(to_millis("2025-10-09T08:53:20.123Z"), 1_760_000_000_123);
        assert_eq!(to_millis("yesterday"), 0);
        assert_eq!(now().len(), "2025-10-09T08:53:20.123Z".len());
        assert_eq!(from_millis(u64::MAX).len(), now().len());
    }
}
