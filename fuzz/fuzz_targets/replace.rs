//! A text, an old and a new string, split at bytes 0xff: an exact replacement is that of the standard library, any other
//! ends in whole lines or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omp_edits::patch::{Fuzzy, Matcher, Occurrences, replace};

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |byte| *byte == 0xff).map(|part| String::from_utf8_lossy(part).into_owned());
    let (Some(text), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) else { return };
    let plain = !text.contains('\r') && !old.contains('\r') && !new.contains('\r');
    for fuzzy in [Fuzzy::Off, Fuzzy::From(0.95), Fuzzy::From(0.5)] {
        for occurrences in [Occurrences::Only, Occurrences::All] {
            let result = replace(&text, &old, &new, occurrences, &Matcher { fuzzy });
            let exact = plain && !old.is_empty() && text.contains(&old);
            match (result, occurrences) {
                (Ok(edited), Occurrences::All) if exact => assert_eq!(edited.rewrite(&text), text.replace(&old, &new)),
                (Ok(edited), Occurrences::Only) if exact => {
                    assert_eq!(edited.rewrite(&text), text.replacen(&old, &new, 1));
                    assert_eq!(edited.changes.len(), 1);
                }
                (Ok(edited), _) => drop(edited.rewrite(&text)),
                (Err(_), Occurrences::All) => assert!(!exact),
                (Err(_), Occurrences::Only) => {}
            }
        }
    }
});
