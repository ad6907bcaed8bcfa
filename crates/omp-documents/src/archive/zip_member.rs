//! A new member of a zip file, as bytes.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::ArchiveError;
use super::zip::{CENTRAL, CentralEntry, LOCAL};

/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
const VERSION: u16 = 20;
const UNIX: u16 = 3 << 8;

/// The member's own bytes, and what its row in the table of contents says.
pub(super) struct ZipMember {
    pub(super) local: Vec<u8>,
    /// The fields that both have: from the version that is needed to the length of the extra field.
    shared: Vec<u8>,
    name: Vec<u8>,
    attributes: u32,
}

impl ZipMember {
    /// A member with the name and the permissions of the one it replaces.
    pub(super) fn new(
        name: &str,
        replaced: Option<&CentralEntry>,
        content: &[u8],
        now: SystemTime,
    ) -> Result<Self, ArchiveError> {
        let too_large = || ArchiveError::Refused("the member is larger than 4 GB".to_owned());
        let raw = replaced.map_or(name.as_bytes(), CentralEntry::raw_name).to_vec();
        let utf8 = std::str::from_utf8(&raw).is_ok() && !raw.is_ascii();
        let packed = deflate(content)?;
        let (method, data): (u16, &[u8]) =
            if packed.len() < content.len() { (8, &packed) } else { (0, content) };
        let mut checksum = Crc::new();
        checksum.update(content);
        let (time, date) = dos_time(now);
        let mut shared = Vec::new();
        for field in [VERSION, if utf8 { UTF8 } else { 0 }, method, time, date] {
            shared.extend(field.to_le_bytes());
        }
        shared.extend(checksum.sum().to_le_bytes());
        for length in [data.len(), content.len()] {
            shared.extend(u32::try_from(length).map_err(|_| too_large())?.to_le_bytes());
        }
        let length = u16::try_from(raw.len())
            .map_err(|_| ArchiveError::Refused("the member name is too long".to_owned()))?;
        shared.extend(length.to_le_bytes());
        shared.extend(0_u16.to_le_bytes());
        let local = [&LOCAL.to_le_bytes(), shared.as_slice(), &raw, data].concat();
        Ok(Self { local, shared, name: raw, attributes: attributes(replaced) })
    }

    /// The row of the table of contents for a member at this offset.
    pub(super) fn row(&self, offset: u64) -> Result<Vec<u8>, ArchiveError> {
        let offset = u32::try_from(offset)
            .map_err(|_| ArchiveError::Refused("the archive would exceed 4 GB; use zip".to_owned()))?;
        // Neither a comment nor another disk nor internal attributes.
        let nothing = [0; 6];
        let attributes = self.attributes.to_le_bytes();
        let made_by = (UNIX | VERSION).to_le_bytes();
        Ok([
            &CENTRAL.to_le_bytes(),
            &made_by[..],
            &self.shared,
            &nothing,
            &attributes,
            &offset.to_le_bytes(),
            &self.name,
        ]
        .concat())
    }
}

/// A regular file with the permissions of the old one.
fn attributes(replaced: Option<&CentralEntry>) -> u32 {
    const REGULAR: u32 = 0o100_000;
    let permissions = replaced.map(|row| row.permissions()).filter(|bits| *bits != 0).unwrap_or(0o644);
    (REGULAR | permissions) << 16
}

fn deflate(content: &[u8]) -> Result<Vec<u8>, ArchiveError> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

/// Time and date as DOS counted them, in steps of two seconds from 1980 on.
fn dos_time(now: SystemTime) -> (u16, u16) {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March have their odd day at the end.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let (month, day) = (if march < 10 { march + 3 } else { march - 9 }, day - (153 * march + 2) / 5 + 1);
    let year = era * 400 + year + u64::from(month <= 2);
    let Some(since) = year.checked_sub(1980).filter(|since| *since < 128) else { return (0, 0x21) };
    let time = ((second / 3600) << 11) | ((second / 60 % 60) << 5) | (second % 60 / 2);
    let date = (since << 9) | (month << 5) | day;
    (u16::try_from(time).unwrap_or(0), u16::try_from(date).unwrap_or(0x21))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_of_dos() {
        let at = |seconds| dos_time(UNIX_EPOCH + Duration::from_secs(seconds));
        // 2024-02-29 12:34:56 and 2000-01-01 00:00:00, and a time before DOS.
        assert_eq!(at(1_709_210_096), (12 << 11 | 34 << 5 | 28, 44 << 9 | 2 << 5 | 29));
        assert_eq!(at(946_684_800), (0, 20 << 9 | 1 << 5 | 1));
        assert_eq!(at(0), (0, 0x21));
    }
}
