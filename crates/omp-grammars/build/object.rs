//! What an object file of the C compiler holds: just enough of ELF to find tables.

/// A table in a section of its own (`-fdata-sections`), without addresses for the linker to fill in. Jump tables of code are
/// sections like it, with addresses.
pub(crate) struct Table<'a> {
    /// The name in C.
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
}

/// Below this size a table is not worth a symbol.
const LEAST: usize = 1024;

/// All large tables of an object file; none where it is not a 64-bit little-endian one.
pub(crate) fn tables(object: &[u8]) -> Vec<Table<'_>> {
    sections(object).unwrap_or_default()
}

fn sections(object: &[u8]) -> Option<Vec<Table<'_>>> {
    if !object.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (start, size) = (number(object, 0x28, 8)?, number(object, 0x3a, 2)?);
    let (count, names) = (number(object, 0x3c, 2)?, number(object, 0x3e, 2)?);
    let header = |index: usize| object.get(start + index * size..start + (index + 1) * size);
    let content = |header: &[u8]| {
        let (offset, length) = (number(header, 0x18, 8)?, number(header, 0x20, 8)?);
        object.get(offset..offset + length)
    };
    let names = content(header(names)?)?;
    const PROGBITS: usize = 1;
    const RELA: usize = 4;
    let mut relocated = Vec::new();
    for index in 1..count {
        if number(header(index)?, 4, 4)? == RELA {
            relocated.push(number(header(index)?, 0x2c, 4)?);
        }
    }
    let mut found = Vec::new();
    for index in (1..count).filter(|index| !relocated.contains(index)) {
        let header = header(index)?;
        if number(header, 4, 4)? != PROGBITS {
            continue;
        }
        let name = names.get(number(header, 0, 4)?..)?.split(|byte| *byte == 0).next()?;
        let Some(name) = std::str::from_utf8(name).ok()?.strip_prefix(".rodata.") else { continue };
        let bytes = content(header)?;
        // `.rodata.str1.1` and the like are merged by the linker.
        if bytes.len() >= LEAST && !name.contains('.') {
            found.push(Table { name, bytes });
        }
    }
    Some(found)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let mut all = [0; 8];
    all[..length].copy_from_slice(bytes.get(at..at + length)?);
    usize::try_from(u64::from_le_bytes(all)).ok()
}
