//! Versions and ranges of versions, as registries of npm have them.

use std::cmp::Ordering;
use std::fmt;

/// `1.2.3-beta.1`; what follows a plus sign does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    numbers: [u64; 3],
    prerelease: Vec<Identifier>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(String),
}

impl Version {
    pub fn parse(text: &str) -> Option<Self> {
        let partial = Partial::parse(text)?;
        let [Some(major), Some(minor), Some(patch)] = partial.numbers else { return None };
        Some(Self { numbers: [major, minor, patch], prerelease: partial.prerelease })
    }

    pub fn is_prerelease(&self) -> bool {
        !self.prerelease.is_empty()
    }

    fn plain(numbers: [u64; 3]) -> Self {
        Self { numbers, prerelease: Vec::new() }
    }

    /// The very first of that number, before all its prereleases.
    fn lowest(numbers: [u64; 3]) -> Self {
        Self { numbers, prerelease: vec![Identifier::Number(0)] }
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let is_released = |version: &Self| version.prerelease.is_empty();
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| is_released(self).cmp(&is_released(other)))
            .then_with(|| self.prerelease.cmp(&other.prerelease))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(formatter, "{major}.{minor}.{patch}")?;
        for (index, identifier) in self.prerelease.iter().enumerate() {
            formatter.write_str(if index == 0 { "-" } else { "." })?;
            match identifier {
                Identifier::Number(number) => write!(formatter, "{number}")?,
                Identifier::Text(text) => formatter.write_str(text)?,
            }
        }
        Ok(())
    }
}

/// A version some numbers of which may be open.
struct Partial {
    numbers: [Option<u64>; 3],
    prerelease: Vec<Identifier>,
}

impl Partial {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['=', 'v', 'V', ' ']);
        let text = text.split('+').next().unwrap_or_default();
        let (numbers, prerelease) =
            text.split_once('-').map_or((text, None), |(numbers, rest)| (numbers, Some(rest)));
        let mut parsed = [None; 3];
        let mut is_open = false;
        let parts: Vec<&str> = if numbers.is_empty() { Vec::new() } else { numbers.split('.').collect() };
        if parts.len() > 3 {
            return None;
        }
        for (slot, part) in parsed.iter_mut().zip(parts) {
            match part {
                "x" | "X" | "*" => is_open = true,
                part if !part.is_empty() && part.len() <= 16 && part.bytes().all(|b| b.is_ascii_digit()) => {
                    // After an open number nothing counts.
                    *slot = (!is_open).then(|| part.parse().ok()).flatten();
                }
                _ => return None,
            }
        }
        let prerelease =
            prerelease.map_or(Some(Vec::new()), |text| text.split('.').map(identifier).collect())?;
        Some(Self { numbers: parsed, prerelease })
    }

    /// With zeros for what is open.
    fn floor(&self) -> Version {
        let numbers = self.numbers.map(|number| number.unwrap_or(0));
        Version { numbers, prerelease: self.prerelease.clone() }
    }

    /// The first version beyond everything that it leaves open; `None` if it leaves everything open.
    fn above(&self) -> Option<Version> {
        match self.numbers {
            [None, ..] => None,
            [Some(major), None, _] => Some(Version::lowest([major.saturating_add(1), 0, 0])),
            [Some(major), Some(minor), None] => Some(Version::lowest([major, minor.saturating_add(1), 0])),
            [Some(_), Some(_), Some(_)] => None,
        }
    }

    fn is_full(&self) -> bool {
        self.numbers[2].is_some()
    }
}

fn identifier(text: &str) -> Option<Identifier> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return None;
    }
    match text.bytes().all(|b| b.is_ascii_digit()) {
        true => text.parse().ok().map(Identifier::Number),
        false => Some(Identifier::Text(text.to_owned())),
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bound {
    AtLeast(Version),
    Above(Version),
    AtMost(Version),
    Below(Version),
    Exactly(Version),
    /// No version can be that.
    Never,
}

impl Bound {
    fn holds(&self, version: &Version) -> bool {
        match self {
            Self::AtLeast(bound) => version >= bound,
            Self::Above(bound) => version > bound,
            Self::AtMost(bound) => version <= bound,
            Self::Below(bound) => version < bound,
            Self::Exactly(bound) => version == bound,
            Self::Never => false,
        }
    }

    fn version(&self) -> Option<&Version> {
        match self {
            Self::AtLeast(bound) | Self::Above(bound) | Self::AtMost(bound) | Self::Below(bound) => {
                Some(bound)
            }
            Self::Exactly(bound) => Some(bound),
            Self::Never => None,
        }
    }
}

/// `^1.2 || >=3 <4`: one of several sets of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRange {
    sets: Vec<Vec<Bound>>,
}

impl VersionRange {
    pub fn parse(text: &str) -> Option<Self> {
        let sets = text.split("||").map(set).collect::<Option<_>>()?;
        Some(Self { sets })
    }

    /// Is a version in it? A prerelease is, where the range names a prerelease of the same number.
    pub fn contains(&self, version: &Version) -> bool {
        self.sets.iter().any(|set| {
            let named = |bound: &Bound| {
                // A bound made by us names nothing.
                let by_us = [Identifier::Number(0)];
                bound.version().is_some_and(|named| {
                    named.is_prerelease()
                        && named.numbers == version.numbers
                        && !(matches!(bound, Bound::Below(_)) && named.prerelease == by_us)
                })
            };
            set.iter().all(|bound| bound.holds(version))
                && (!version.is_prerelease() || set.iter().any(named))
        })
    }
}

fn set(text: &str) -> Option<Vec<Bound>> {
    let text = text.trim();
    if let Some((from, to)) = text.split_once(" - ") {
        let (from, to) = (Partial::parse(from)?, Partial::parse(to)?);
        let upper = match to.above() {
            Some(above) => Some(Bound::Below(above)),
            None if to.is_full() => Some(Bound::AtMost(to.floor())),
            None => None,
        };
        return Some([Bound::AtLeast(from.floor())].into_iter().chain(upper).collect());
    }
    let mut bounds = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        // An operator may stand apart from its version.
        let alone = !word.is_empty() && word.chars().all(|c| "<>=~^".contains(c));
        let word = match (alone, words.peek()) {
            (true, Some(_)) => format!("{word}{}", words.next().unwrap_or_default()),
            _ => word.to_owned(),
        };
        bounds.extend(comparison(&word)?);
    }
    Some(bounds)
}

fn comparison(word: &str) -> Option<Vec<Bound>> {
    let operators = [">=", "<=", "~>", ">", "<", "=", "~", "^"];
    let operator = operators.into_iter().find(|operator| word.starts_with(operator)).unwrap_or_default();
    let partial = Partial::parse(&word[operator.len()..])?;
    let floor = partial.floor();
    let is_any = partial.numbers[0].is_none();
    Some(match operator {
        "" | "=" if partial.is_full() => vec![Bound::Exactly(floor)],
        "" | "=" => [Bound::AtLeast(floor)].into_iter().chain(partial.above().map(Bound::Below)).collect(),
        ">=" => vec![Bound::AtLeast(floor)],
        "<" if is_any => vec![Bound::Never],
        "<" if partial.is_full() => vec![Bound::Below(floor)],
        "<" => vec![Bound::Below(Version::lowest(floor.numbers))],
        ">" if is_any => vec![Bound::Never],
        ">" => match partial.above() {
            Some(above) => vec![Bound::AtLeast(Version::plain(above.numbers))],
            None => vec![Bound::Above(floor)],
        },
        "<=" => match partial.above() {
            Some(above) => vec![Bound::Below(above)],
            None if partial.is_full() => vec![Bound::AtMost(floor)],
            None => Vec::new(),
        },
        "~" | "~>" => {
            let [major, minor, _] = floor.numbers;
            let above = match partial.numbers {
                [None, ..] => None,
                [_, None, _] => Some([major.saturating_add(1), 0, 0]),
                _ => Some([major, minor.saturating_add(1), 0]),
            };
            between(floor, above)
        }
        _ => {
            let [major, minor, patch] = floor.numbers;
            let above = match partial.numbers {
                [None, ..] => None,
                [Some(0), Some(0), Some(_)] => Some([0, 0, patch.saturating_add(1)]),
                [Some(0), Some(_), _] => Some([0, minor.saturating_add(1), 0]),
                _ => Some([major.saturating_add(1), 0, 0]),
            };
            between(floor, above)
        }
    })
}

fn between(floor: Version, above: Option<[u64; 3]>) -> Vec<Bound> {
    let upper = above.map(|above| Bound::Below(Version::lowest(above)));
    [Bound::AtLeast(floor)].into_iter().chain(upper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(range: &str, version: &str) -> bool {
        VersionRange::parse(range).unwrap().contains(&Version::parse(version).unwrap())
    }

    #[test]
    fn ranges_hold_what_npm_says() {
        for (range, inside, outside) in [
            ("1.2.3", "1.2.3 v1.2.3+build", "1.2.4 1.2.3-a"),
            ("^1.2.3", "1.2.3 1.9.0", "2.0.0 1.2.2 2.0.0-rc.1 1.3.0-beta"),
            ("^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2 1.0.0"),
            ("^0.0.3", "0.0.3", "0.0.4 0.0.2"),
            ("^0.0", "0.0.0 0.0.9", "0.1.0"),
            ("^0", "0.0.1 0.9.9", "1.0.0"),
            ("^1.x", "1.0.0 1.9.9", "2.0.0"),
            ("~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"),
            ("~1", "1.0.0 1.9.9", "2.0.0"),
            ("1.x", "1.0.0 1.9.9", "2.0.0 0.9.9"),
            ("1.2", "1.2.0 1.2.9", "1.3.0"),
            ("*", "0.0.1 99.0.0", "1.0.0-beta"),
            ("", "0.0.1 99.0.0", "1.0.0-beta"),
            (">=1.2.3 <2", "1.2.3 1.9.9", "2.0.0 1.2.2 2.0.0-a"),
            (">= 1.2.3 < 2.0.0", "1.5.0", "2.0.0"),
            (">1", "2.0.0", "1.0.0 1.9.9"),
            (">1.2", "1.3.0", "1.2.9"),
            ("<=1.2", "1.2.9 0.0.1", "1.3.0"),
            ("<=1", "1.9.9", "2.0.0"),
            ("1.2.3 - 2.3.4", "1.2.3 2.3.4", "2.3.5 1.2.2"),
            ("1.2 - 2", "1.2.0 2.9.9", "3.0.0"),
            ("^3.25.0 || ^4.0.0", "3.25.1 4.1.0", "5.0.0 3.24.0"),
            (
                "^1.2.3-beta.2",
                "1.2.3-beta.2 1.2.3-beta.11 1.2.3 1.5.0",
                "1.2.3-beta.1 1.2.4-beta.2 1.2.3-alpha",
            ),
            ("4.6.0-beta.3", "4.6.0-beta.3", "4.6.0"),
            ("=1.0.0", "1.0.0", "1.0.1"),
            (">=1.0.0-rc.1", "1.0.0-rc.2 1.0.0 2.0.0", "1.1.0-rc.2"),
        ] {
            for version in inside.split(' ') {
                assert!(holds(range, version), "{range} has {version}");
            }
            for version in outside.split(' ') {
                assert!(!holds(range, version), "{range} has no {version}");
            }
        }
        for bad in ["latest", "next", "1.2.3.4", "a.b.c", "workspace:*", "^1.2.", "1.2.3-", "file:../x"] {
            assert!(VersionRange::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn versions_have_an_order() {
        let mut versions: Vec<Version> = [
            "1.0.0",
            "1.0.0-rc.1",
            "1.0.0-alpha.beta",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-beta.11",
            "1.0.0-beta.2",
            "0.9.10",
            "0.9.9",
        ]
        .iter()
        .map(|text| Version::parse(text).unwrap())
        .collect();
        versions.sort();
        let texts: Vec<String> = versions.iter().map(Version::to_string).collect();
        assert_eq!(
            texts,
            [
                "0.9.9",
                "0.9.10",
                "1.0.0-alpha",
                "1.0.0-alpha.1",
                "1.0.0-alpha.beta",
                "1.0.0-beta.2",
                "1.0.0-beta.11",
                "1.0.0-rc.1",
                "1.0.0"
            ]
        );
    }
}
