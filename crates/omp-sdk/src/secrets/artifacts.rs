//! Secrets in the outputs that a session keeps whole. They are overwritten where they stand: a command may still be writing
//! behind them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use omp_guard::secrets::{LONGEST, Secrets};

/// Bytes that are looked at together.
const CHUNK: usize = 4 * 1024 * 1024;

/// Overwrites secrets in the artifacts that a text names.
pub(crate) fn named_in(text: &str, directory: &Path, masks: &Secrets) {
    for (at, scheme) in text.match_indices("artifact://") {
        let rest = &text[at + scheme.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(path) = artifact(directory, &rest[..digits]) {
            // What cannot be opened cannot be read by anybody else either.
            let _ = blot(&path, masks);
        }
    }
}

/// `<id>.<tool>.log`
fn artifact(directory: &Path, id: &str) -> Option<std::path::PathBuf> {
    let is_it = |name: &str| name.split('.').next() == Some(id) && name.ends_with(".log");
    let mut entries = std::fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path());
    entries.find(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_it))
}

fn blot(path: &Path, masks: &Secrets) -> io::Result<()> {
    let file = File::options().read(true).write(true).open(path)?;
    let (mut chunk, mut at) = (vec![0; CHUNK], 0_u64);
    loop {
        let read = file.read_at(&mut chunk, at)?;
        for place in masks.places(&chunk[..read]) {
            file.write_all_at(&vec![b'*'; place.len()], at + place.start as u64)?;
        }
        if read < CHUNK {
            return Ok(());
        }
        // A secret may stand across the border.
        at += (CHUNK - LONGEST) as u64;
    }
}

#[cfg(test)]
mod tests {
    use omp_guard::secrets::{Known, masks};

    use super::*;

    #[test]
    fn secrets_are_overwritten_across_borders_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let secret = "s3cr3t-value-9";
        let known = vec![Known { name: "X_KEY".to_owned(), value: secret.to_owned() }];
        let masks = Secrets::new(masks(known), "");
        let filler = "x".repeat(CHUNK - 5);
        let path = directory.path().join("7.bash.log");
        std::fs::write(&path, format!("{filler}{secret}\n{secret}")).unwrap();
        std::fs::write(directory.path().join("70.bash.log"), secret).unwrap();
        named_in("see artifact://7 and artifact://9", directory.path(), &masks);
        let stars = "*".repeat(secret.len());
        assert!(std::fs::read_to_string(&path).unwrap() == format!("{filler}{stars}\n{stars}"));
        assert_eq!(std::fs::read_to_string(directory.path().join("70.bash.log")).unwrap(), secret);
    }
}
