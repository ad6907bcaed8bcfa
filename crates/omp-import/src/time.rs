//! Times of records, in any of the forms found, as sessions write them.

use jiff::Timestamp;
use serde_json::Value;

/// The time of a record: ISO 8601 text, or a number of milliseconds since 1970.
pub(crate) fn read(value: Option<&Value>) -> Option<u64> {
    match value? {
        Value::String(text) => {
            let time: Timestamp = text.trim().parse().ok()?;
            u64::try_from(time.as_millisecond()).ok()
        }
        Value::Number(number) => {
            let millis = number.as_i64().filter(|millis| *millis >= 0)?;
            Timestamp::from_millisecond(millis).ok()?;
            u64::try_from(millis).ok()
        }
        _ => None,
    }
}

/// ISO 8601 in UTC with milliseconds.
pub(crate) fn write(millis: u64) -> String {
    let time = i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
    time.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_in_all_forms() {
        assert_eq!(read(Some(&json!("2026-01-02T03:04:05.678Z"))), Some(1_767_323_045_678));
        assert_eq!(read(Some(&json!("2026-01-02T04:04:05+01:00"))), Some(1_767_323_045_000));
        assert_eq!(read(Some(&json!(1_767_323_045_678_u64))), Some(1_767_323_045_678));
        for strange in [json!("soon"), json!(-5), json!(u64::MAX), json!([]), json!("1969-01-01T00:00:00Z")] {
            assert_eq!(read(Some(&strange)), None, "{strange}");
        }
        assert_eq!(write(1_767_323_045_678), "2026-01-02T03:04:05.678Z");
        assert_eq!(write(u64::MAX), "1970-01-01T00:00:00.000Z");
    }
}
