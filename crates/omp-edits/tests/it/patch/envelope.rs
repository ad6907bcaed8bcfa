//! Patches of several files.

use omp_edits::patch::{FileChange, HunkLine, PatchError, parse_envelope, parse_envelope_start};

const PATCH: &str = "*** Begin Patch
*** Add File: new.txt
+one
+
+two
*** Update File: old.txt
*** Move to: moved.txt
@@ fn f
-a
+b
*** Delete File: gone.txt
*** End Patch
";

#[test]
fn the_three_verbs_and_a_move() {
    let changes = parse_envelope(PATCH).unwrap();
    assert_eq!(changes[0], FileChange::Add { path: "new.txt".into(), content: "one\n\ntwo\n".into() });
    let FileChange::Update { path, moved_to, hunks } = &changes[1] else { panic!("{changes:?}") };
    assert_eq!((path.as_str(), moved_to.as_deref()), ("old.txt", Some("moved.txt")));
    assert_eq!(hunks[0].anchors, ["fn f"]);
    assert_eq!(hunks[0].rows, [HunkLine::Remove("a".into()), HunkLine::Add("b".into())]);
    assert_eq!(changes[2], FileChange::Delete { path: "gone.txt".into() });
}

#[test]
fn wrappings_are_forgiven() {
    let expected = parse_envelope(PATCH).unwrap();
    let bare = PATCH.replace("*** Begin Patch\n", "").replace("*** End Patch\n", "");
    let same = |one: &[FileChange]| one.iter().map(|change| change.path().to_owned()).collect::<Vec<_>>();
    for wrapped in [
        bare,
        format!("```\n{PATCH}```\n"),
        format!("apply_patch <<'EOF'\n{PATCH}EOF\n"),
        format!("{PATCH}\nsome words behind it\n"),
        PATCH.replace('\n', "\r\n"),
        PATCH.replace("*** End Patch", "*** Abort"),
    ] {
        assert_eq!(same(&parse_envelope(&wrapped).unwrap()), same(&expected), "{wrapped}");
    }
}

/// Blanks before a marker, where no row of the file can be meant.
#[test]
fn blanks_around_markers_are_forgiven() {
    let expected = parse_envelope(PATCH).unwrap();
    let indented = |marker: &str, blanks: &str| PATCH.replace(marker, &format!("{blanks}{marker}  "));
    for padded in [
        indented("*** Begin Patch", " "),
        indented("*** End Patch", "   "),
        indented("*** Add File", "\t").replace("*** Add File  ", "*** Add File"),
        indented("*** Update File", "  ").replace("*** Update File  ", "*** Update File"),
        format!("```\n{}```\n", indented("*** End Patch", " ")),
        format!("apply_patch <<'EOF'\n{}EOF\n", indented("*** End Patch", " ")),
    ] {
        let changes = parse_envelope(&padded).unwrap();
        assert_eq!(changes.len(), expected.len(), "{padded}");
        assert_eq!(changes[0], expected[0], "{padded}");
    }
    // Among the rows of an update, what stands behind a blank is a line of the file.
    let rows = "*** Update File: a\n@@\n *** Update File: b\n-x\n *** End Patch\n+y\n*** End Patch\n";
    let changes = parse_envelope(rows).unwrap();
    let [FileChange::Update { hunks, .. }] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!(hunks[0].rows.len(), 4);
}

#[test]
fn a_move_alone_is_enough() {
    let changes =
        parse_envelope("*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch\n").unwrap();
    assert_eq!(
        changes,
        [FileChange::Update { path: "a".into(), moved_to: Some("b".into()), hunks: Vec::new() }]
    );
}

#[test]
fn malformed_patches_are_explained() {
    assert!(matches!(parse_envelope("hello\n"), Err(PatchError::NoEnvelope(_))));
    assert_eq!(parse_envelope("*** Begin Patch\n*** End Patch\n"), Err(PatchError::NoFiles));
    assert_eq!(parse_envelope("*** Update File:\n-a\n"), Err(PatchError::NoPath { at: 1 }));
    assert_eq!(
        parse_envelope("*** Update File: a\n@@\n-a\n*** Move to: b\n"),
        Err(PatchError::StrayMove { at: 4 })
    );
    assert!(matches!(parse_envelope("*** Add File: a\none\n"), Err(PatchError::NotAdded { at: 2, .. })));
    assert!(matches!(
        parse_envelope("*** Delete File: a\n-x\n"),
        Err(PatchError::DeleteWithBody { at: 2, .. })
    ));
    assert_eq!(parse_envelope("*** Update File: a\n"), Err(PatchError::NoHunks));
}

#[test]
fn text_that_looks_like_a_header_is_text_in_its_row() {
    let changes =
        parse_envelope("*** Update File: a\n@@\n *** End Patch\n-x\n+*** Delete File: b\n*** End Patch\n")
            .unwrap();
    let [FileChange::Update { hunks, .. }] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!(hunks[0].rows.len(), 3);
}

#[test]
fn a_patch_that_breaks_off_gives_what_is_whole() {
    let text =
        "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n@@\n-c\n+d\n*** Update File: b\n@@\n-e\n+f\n+unfin";
    let updates = parse_envelope_start(text).unwrap();
    assert_eq!(updates.len(), 2);
    assert_eq!((updates[0].1.complete.len(), updates[0].1.open.is_none()), (2, true));
    assert_eq!(
        (updates[1].0.as_str(), updates[1].1.complete.len(), updates[1].1.open.is_some()),
        ("b", 0, true)
    );
    assert!(parse_envelope_start("*** Update File: half a na").unwrap().is_empty());
}
