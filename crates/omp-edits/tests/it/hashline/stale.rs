//! Edits against a text that is no longer there.

use omp_edits::hashline::{File, Patcher, Snapshots, Tag, parse};

use crate::hashline::support::{Braces, Session, numbered, plan};

/// proves: FIL-159
#[test]
fn a_right_tag_needs_no_read() {
    let text = "a\nb\n";
    let input = format!("[f#{}]\nSWAP 1:\n+x\n", Tag::of(text));
    assert_eq!(plan(&mut Snapshots::new(), "f", text, &input).unwrap().text, "x\nb\n");
}

/// proves: FIL-160, FIL-162
#[test]
fn a_change_elsewhere_does_not_matter() {
    let (mut session, tag) = Session::read("f", &numbered(40));
    session.live = session.live.replace("line 35\n", "changed\n");
    let planned = session.edit(tag, "SWAP 5.=6:\n+five\n").unwrap();
    assert_eq!(
        planned.text,
        numbered(40).replace("line 35\n", "changed\n").replace("line 5\nline 6\n", "five\n")
    );
    assert_eq!(planned.warnings.len(), 1);
    assert!(
        planned.warnings[0].contains("recovered from a stale file hash using a previous read snapshot"),
        "{:?}",
        planned.warnings
    );
}

/// proves: FIL-161
#[test]
fn edits_never_slide_to_lines_that_look_alike() {
    let block = "begin\nsame\nend\n";
    let text = format!("top\n{block}middle\n{block}bottom\n");
    let (mut session, tag) = Session::read("f", &text);
    session.live = format!("new 1\nnew 2\nnew 3\n{text}");
    // Line 7 is `same` of the second block.
    let planned = session.edit(tag, "SWAP 7:\n+SAME\n").unwrap();
    assert_eq!(planned.text, format!("new 1\nnew 2\nnew 3\ntop\n{block}middle\nbegin\nSAME\nend\nbottom\n"));
    // With the second block gone, the first is not taken for it.
    let (mut session, tag) = Session::read("f", &text);
    session.live = format!("top\n{block}middle\nbottom\n");
    let error = session.edit(tag, "SWAP 7:\n+SAME\n").unwrap_err();
    assert!(error.contains("changed between read and edit"), "{error}");
}

/// proves: FIL-163
#[test]
fn an_old_tag_works_through_the_sessions_own_edits() {
    let (mut session, tag) = Session::read("f", &numbered(30));
    session.edit(tag, "INS.POST 10:\n+a\n+b\nDEL 20\n").unwrap();
    let planned = session.edit(tag, "SWAP 5:\n+five\nSWAP 15:\n+fifteen\nSWAP 25:\n+twentyfive\n").unwrap();
    let expected = numbered(30)
        .replace("line 10\n", "line 10\na\nb\n")
        .replace("line 20\n", "")
        .replace("line 5\n", "five\n")
        .replace("line 15\n", "fifteen\n")
        .replace("line 25\n", "twentyfive\n")
        .replace("line 1five\n", "line 15\n");
    assert_eq!(planned.text, expected.replace("line 2five\n", "line 25\n"));
    assert_eq!(planned.warnings.len(), 1);
    assert!(planned.warnings[0].contains("recovered through the session's edits"), "{:?}", planned.warnings);
}

/// proves: FIL-164
#[test]
fn an_edit_beside_an_own_edit_is_replayed_with_a_warning() {
    let (mut session, tag) = Session::read("f", "a\nb\nb\nb\nc\n");
    session.edit(tag, "SWAP 2:\n+B\n").unwrap();
    let planned = session.edit(tag, "SWAP 3:\n+BB\n").unwrap();
    assert_eq!(planned.text, "a\nB\nBB\nb\nc\n");
    assert!(
        planned.warnings[0].contains("replayed") && planned.warnings[0].contains("Verify"),
        "{:?}",
        planned.warnings
    );
}

/// proves: FIL-165
#[test]
fn lines_that_moved_are_followed() {
    let (mut session, tag) = Session::read("f", &numbered(20));
    session.live = format!("x\ny\nz\n{}", numbered(20));
    let planned = session.edit(tag, "SWAP 10:\n+ten\nINS.POST 12:\n+after\n").unwrap();
    let expected = numbered(20).replace("line 10\n", "ten\n").replace("line 12\n", "line 12\nafter\n");
    assert_eq!(planned.text, format!("x\ny\nz\n{expected}"));
    assert!(planned.warnings.iter().any(|warning| warning.contains("moved by +3")), "{:?}", planned.warnings);
    // Two distances are not one.
    let (mut session, tag) = Session::read("f", &numbered(20));
    session.live = numbered(20).replace("line 10\n", "line 10\nnew\n");
    assert!(session.edit(tag, "SWAP 3:\n+three\nSWAP 15:\n+fifteen\n").is_err());
    // A repeated line needs both of its neighbours.
    let (mut session, tag) = Session::read("f", "a\nsame\nb\nsame\nc\n");
    session.live = "a\nsame\nB\nsame\nc\n".to_owned();
    assert!(session.edit(tag, "SWAP 2:\n+x\n").is_err());
}

/// proves: FIL-166
#[test]
fn a_changed_line_is_never_overwritten() {
    for (from, to) in [("line 5\n", "theirs\n"), ("line 5\n", ""), ("line 5\nline 6\n", "line 6\nline 5\n")] {
        let (mut session, tag) = Session::read("f", &numbered(10));
        session.live = session.live.replace(from, to);
        assert!(session.edit(tag, "SWAP 4.=6:\n+mine\n").is_err(), "{to:?}");
        let (mut session, tag) = Session::read("f", &numbered(10));
        let own = if to.is_empty() { "DEL 5\n" } else { "SWAP 5:\n+mine\n" };
        session.edit(tag, own).unwrap();
        assert!(session.edit(tag, "SWAP 4.=6:\n+mine again\n").is_err());
    }
}

/// proves: FIL-167, FIL-168
#[test]
fn a_refusal_shows_the_file_as_it_is() {
    let (mut session, tag) = Session::read("f", &numbered(30));
    session.live = session.live.replace("line 9\n", "theirs\n");
    let now = session.tag();
    let error = session.edit(tag, "SWAP 9:\n+x\nDEL 20.=21\n").unwrap_err();
    let (sentence, rows) = error.split_once("\n\n").unwrap();
    assert!(sentence.contains("changed between read and edit"), "{sentence}");
    assert!(
        sentence.contains(&format!("expected #{tag}")) && sentence.contains(&format!("#{now}")),
        "{sentence}"
    );
    assert_eq!(
        rows,
        " 7:line 7\n 8:line 8\n*9:theirs\n 10:line 10\n 11:line 11\n...\n 18:line 18\n 19:line 19\n*20:line 20\n\
         *21:line 21\n 22:line 22\n 23:line 23"
    );
    // Lines behind the end do not take the mark from those before it.
    session.live = numbered(9).replace("line 8\n", "theirs\n");
    let error = session.edit(tag, "SWAP 8:\n+x\nDEL 20.=21\n").unwrap_err();
    assert!(error.ends_with("\n\n 6:line 6\n 7:line 7\n*8:theirs\n 9:line 9"), "{error}");
    session.live = numbered(30).replace("line 9\n", "theirs\n");
    let invented: Tag = "0000".parse().unwrap();
    let error = session.edit(invented, "SWAP 9:\n+x\n").unwrap_err();
    assert!(error.contains("#0000 is not a hash of f from this session"), "{error}");
    assert!(error.contains(&format!("[f#{now}]")), "{error}");
}

/// proves: FIL-169, FIL-174
#[test]
fn the_tag_of_a_refusal_can_be_used() {
    let (mut session, tag) = Session::read("f", &numbered(10));
    session.live = session.live.replace("line 5\n", "theirs\n");
    let now = session.tag();
    let first = session.edit(tag, "SWAP 5:\n+x\n").unwrap_err();
    assert_eq!(session.edit(tag, "SWAP 5:\n+x\n").unwrap_err(), first);
    // The sentence says nothing of the attempt, and the file is as it was.
    assert!(first.contains("changed between read and edit"), "{first}");
    for word in ["merge", "recover", "conflict", "attempt"] {
        assert!(!first.to_lowercase().contains(word), "{first}");
    }
    assert_eq!(session.tag(), now);
    // Even after one more change elsewhere.
    session.live = format!("top\n{}", session.live);
    assert_eq!(
        session.edit(now, "SWAP 5:\n+x\n").unwrap().text,
        format!("top\n{}", numbered(10).replace("line 5\n", "x\n"))
    );
}

/// proves: FIL-170
#[test]
fn head_and_tail_need_no_fresh_tag() {
    let (mut session, tag) = Session::read("f", "a\nb\n");
    session.live = "A\nB\n".to_owned();
    let planned = session.edit(tag, "INS.HEAD:\n+h\nINS.TAIL:\n+t\n").unwrap();
    assert_eq!(planned.text, "h\nA\nB\nt\n");
    assert!(planned.warnings[0].contains("changed since it was read"), "{:?}", planned.warnings);
    // A tag that was never given does not say that the file changed.
    let planned = session.edit("0000".parse().unwrap(), "INS.TAIL:\n+u\n").unwrap();
    assert_eq!(planned.text, "h\nA\nB\nt\nu\n");
    assert!(
        planned.warnings[0].contains("#0000 is not a hash of f from this session"),
        "{:?}",
        planned.warnings
    );
}

/// proves: FIL-171
#[test]
fn a_file_is_found_by_its_name_and_tag() {
    let mut snapshots = Snapshots::new();
    let tag = snapshots.record("/project/src/deep/a.rs", "one\n");
    snapshots.record("/project/src/b.rs", "one\n");
    assert_eq!(snapshots.named("a.rs", tag), Some("/project/src/deep/a.rs"));
    assert_eq!(snapshots.named("a.rs", Tag::of("two")), None);
    snapshots.record("/project/other/a.rs", "one\n");
    assert_eq!(snapshots.named("a.rs", tag), None);
}

/// proves: FIL-172
#[test]
fn blocks_of_a_changed_file_are_those_that_were_shown() {
    let text = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";
    let (mut session, tag) = Session::read("a.rs", text);
    session.live = format!("// new\n{text}");
    let planned = session.edit(tag, "SWAP.BLK 5:\n+fn c() {}\n").unwrap();
    assert_eq!(planned.text, "// new\nfn a() {\n    one();\n}\n\nfn c() {}\n");
    assert!(planned.blocks.is_empty());
    let mut unknown = Snapshots::new();
    let error = plan(&mut unknown, "a.rs", text, "[a.rs#0000]\nSWAP.BLK 5:\n+x\n").unwrap_err();
    assert!(error.contains("not a hash of a.rs"), "{error}");
}

/// proves: FIL-173
#[test]
fn lines_that_were_never_shown_can_be_protected() {
    let text = numbered(60);
    let mut snapshots = Snapshots::new();
    let tag = snapshots.record("f", &text);
    snapshots.saw("f", tag, 1, 10);
    let strict = Patcher { syntax: &Braces, enforce_seen: true };
    let file = File { key: "f", text: &text };
    let patch = |hunks: &str| parse(&format!("[f#{tag}]\n{hunks}"), std::path::Path::new("/")).unwrap();
    let seen = patch("SWAP 10:\n+x\n");
    assert!(strict.plan(&seen.sections[0], file, &mut snapshots).is_ok());
    let few = patch("SWAP 12.=13:\n+x\nDEL 13.=14\n");
    let error = strict.plan(&few.sections[0], file, &mut snapshots).unwrap_err().to_string();
    assert!(error.contains("send the edit again if it is still right"), "{error}");
    assert!(error.ends_with(":\n\n12:line 12\n13:line 13\n14:line 14"), "{error}");
    let many = patch("SWAP 10.=56:\n+x\n");
    let error = strict.plan(&many.sections[0], file, &mut snapshots).unwrap_err().to_string();
    assert!(error.contains("\n11:line 11\n15:line 15\n") && error.ends_with("53:line 53"), "{error}");
    // Sending it again would not be enough, and it does not say so.
    assert!(error.contains("the first 40 of 43") && !error.contains("send the edit again"), "{error}");
    let error = strict.plan(&many.sections[0], file, &mut snapshots).unwrap_err().to_string();
    assert!(error.ends_with(":\n\n54:line 54\n55:line 55\n56:line 56"), "{error}");
    assert!(strict.plan(&many.sections[0], file, &mut snapshots).is_ok());
    let free = Patcher { enforce_seen: false, ..strict };
    assert!(free.plan(&patch("SWAP 60:\n+x\n").sections[0], file, &mut snapshots).is_ok());
}

/// proves: FIL-011
#[test]
fn only_so_much_is_remembered() {
    let mut snapshots = Snapshots::new();
    let first = snapshots.record("0", "text 0");
    for file in 1..30 {
        snapshots.record(&file.to_string(), "text");
    }
    assert!(snapshots.text("0", first).is_some());
    snapshots.record("30", "text");
    assert!(snapshots.text("0", first).is_none(), "the thirty-first file pushes the oldest out");
    let tags: Vec<Tag> = (0..5).map(|version| snapshots.record("v", &format!("version {version}"))).collect();
    assert!(snapshots.text("v", tags[0]).is_none());
    assert!(tags[1..].iter().all(|tag| snapshots.text("v", *tag).is_some()));
    // Two texts with one tag (trailing blanks do not count): the newer is found.
    let one = snapshots.record("c", "same\n");
    let two = snapshots.record("c", "same  \n");
    assert_eq!((one, snapshots.text("c", two).as_deref()), (two, Some("same  \n")));
    let large = "x".repeat(40 * 1024 * 1024);
    let before = snapshots.record("large 1", &large);
    snapshots.record("large 2", &large);
    assert!(snapshots.text("large 1", before).is_none(), "64 MiB are kept");
}

/// proves: FIL-165
#[test]
fn a_repeated_line_is_found_where_its_neighbours_stand() {
    let text = "fn a() {\n    go();\n}\nfn b() {\n    go();\n}\n";
    for added in ["// end\n", "fn c() {\n    go();\n}\n", "\n"] {
        for (live, line) in [(format!("{text}{added}"), 5), (format!("{added}{text}"), 2)] {
            let (mut session, tag) = Session::read("f", text);
            session.live.clone_from(&live);
            let planned = session.edit(tag, &format!("SWAP {line}:\n+    went();\n")).unwrap();
            let changed = match line {
                5 => text.replace("b() {\n    go", "b() {\n    went"),
                _ => text.replace("a() {\n    go", "a() {\n    went"),
            };
            assert_eq!(planned.text, live.replace(text, &changed), "{live}");
        }
    }
    // Where one that looks alike came beside it, it could be either.
    let (mut session, tag) = Session::read("f", "a\n.\n.\nb\n");
    session.live = "a\n.\n.\n.\nb\n".to_owned();
    assert!(session.edit(tag, "SWAP 2:\n+x\n").unwrap_err().contains("could not be found again unchanged"));
}
