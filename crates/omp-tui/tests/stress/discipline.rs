//! What no frame may contain.

use omp_tui::render::{Intent, Painted};

fn count(bytes: &[u8], needle: &str) -> usize {
    bytes.windows(needle.len()).filter(|window| *window == needle.as_bytes()).count()
}

/// Checks the bytes of one frame.
pub(crate) fn check(painted: &Painted, height: usize, synchronized: bool, multiplexer: bool) {
    let bytes = &painted.bytes;
    let shown = String::from_utf8_lossy(bytes);
    let begin = count(bytes, "\x1b[?2026h");
    assert_eq!(begin, count(bytes, "\x1b[?2026l"), "{shown:?}");
    if synchronized && !matches!(painted.intent, Intent::Nothing | Intent::Cursor) {
        assert_eq!(begin, 1);
        assert!(bytes.starts_with(b"\x1b[?2026h") && bytes.ends_with(b"\x1b[?2026l"), "{shown:?}");
    }
    if !synchronized {
        assert_eq!(begin, 0);
    }
    assert_eq!(count(bytes, "\x1b[?7l"), count(bytes, "\x1b[?7h"), "{shown:?}");
    assert_eq!(count(bytes, "\x1b[?1049h"), 0, "the transcript stays on the normal screen");
    let erases = count(bytes, "\x1b[3J");
    assert!(erases <= usize::from(!multiplexer), "{shown:?}");
    if painted.intent != Intent::FullPaint {
        assert_eq!(erases + count(bytes, "\x1b[2J"), 0, "{shown:?}");
    }
    if !multiplexer && painted.intent != Intent::FullPaint {
        assert_eq!(count(bytes, "\x1b[H"), 0, "{shown:?}");
    }
    if erases > 0 {
        assert_eq!(count(bytes, "\x1b[2J\x1b[H\x1b[3J"), 1, "{shown:?}");
    }
    // Each kind of update has its own shape: how many rows are begun says what may scroll.
    let begun = count(bytes, "\n");
    let chunk = painted.chunk.len();
    match painted.intent {
        Intent::Nothing => assert!(bytes.is_empty()),
        Intent::Cursor => assert!(begun == 0 && chunk == 0 && count(bytes, "\x1b[?7l") == 0, "{shown:?}"),
        Intent::Diff => assert_eq!((begun, chunk), (0, 0), "{shown:?}"),
        Intent::ScrollAppend => assert!(chunk > 0 && begun == chunk, "{shown:?}"),
        // Rows that are on the screen already are not written again; they scroll.
        Intent::SeamRewrite => assert!((chunk.max(height - 1)..chunk + height).contains(&begun), "{shown:?}"),
        Intent::FullPaint => {
            assert!(count(bytes, "\x1b[2J\x1b[H") == 1 && begun < chunk + height, "{shown:?}");
        }
    }
}
