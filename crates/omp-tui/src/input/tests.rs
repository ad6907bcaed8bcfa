//! Every key, every split.

use std::time::Duration;

use super::*;

const START: Duration = Duration::from_secs(1);

/// Feeds the pieces at one time and lets everything expire.
fn decode(pieces: &[&[u8]]) -> Vec<Event> {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    for piece in pieces {
        decoder.feed(piece, START, &mut events);
    }
    decoder.expire(START + Duration::from_secs(10), &mut events);
    assert_eq!(decoder.deadline(), None);
    events
}

fn key(code: Code, modifiers: Modifiers) -> Event {
    Event::Key(Key::new(code, modifiers))
}

fn table() -> Vec<(&'static [u8], Event)> {
    use Code::*;
    let none = Modifiers::NONE;
    let (shift, alt, ctrl) = (Modifiers::SHIFT, Modifiers::ALT, Modifiers::CTRL);
    vec![
        (b"a", key(Char('a'), none)),
        (b"A", key(Char('a'), shift)),
        (b"!", key(Char('!'), none)),
        ("ü".as_bytes(), key(Char('ü'), none)),
        ("日".as_bytes(), key(Char('日'), none)),
        ("😀".as_bytes(), key(Char('😀'), none)),
        (b"\r", key(Enter, none)),
        (b"\n", key(Char('j'), ctrl)),
        (b"\t", key(Tab, none)),
        (b"\x7f", key(Backspace, none)),
        (b"\x08", key(Backspace, ctrl)),
        (b"\x03", key(Char('c'), ctrl)),
        (b"\x1a", key(Char('z'), ctrl)),
        (b"\x1f", key(Char('-'), ctrl)),
        (b"\x00", key(Char(' '), ctrl)),
        (b"\x1b", key(Escape, none)),
        (b"\x1ba", key(Char('a'), alt)),
        (b"\x1bP", key(Char('p'), alt | shift)),
        (b"\x1b\x7f", key(Backspace, alt)),
        (b"\x1b\r", key(Enter, alt)),
        (b"\x1b[A", key(Up, none)),
        (b"\x1bOB", key(Down, none)),
        (b"\x1b[1;5C", key(Right, ctrl)),
        (b"\x1b[1;3D", key(Left, alt)),
        (b"\x1b[H", key(Home, none)),
        (b"\x1b[4~", key(End, none)),
        (b"\x1b[5~", key(PageUp, none)),
        (b"\x1b[6;5~", key(PageDown, ctrl)),
        (b"\x1b[3;2~", key(Delete, shift)),
        (b"\x1b[Z", key(Tab, shift)),
        (b"\x1bOP", key(F(1), none)),
        (b"\x1b[24~", key(F(12), none)),
        (b"\x1b[[A", key(F(1), none)),
        // kitty
        (b"\x1b[13;5u", key(Enter, ctrl)),
        (b"\x1b[13;2u", key(Enter, shift)),
        (b"\x1b[127;5u", key(Backspace, ctrl)),
        (b"\x1b[112;4u", key(Char('p'), alt | shift)),
        (b"\x1b[112:80;6u", key(Char('p'), ctrl | shift)),
        (b"\x1b[49:33;2u", key(Char('!'), none)),
        (b"\x1b[27u", key(Escape, none)),
        (b"\x1b[57414u", key(Enter, none)),
        (b"\x1b[97;1:3u", Event::Key(Key { kind: KeyEventKind::Release, ..Key::new(Char('a'), none) })),
        (b"\x1b[1;1:2A", Event::Key(Key { kind: KeyEventKind::Repeat, ..Key::new(Up, none) })),
        // modifyOtherKeys
        (b"\x1b[27;5;13~", key(Enter, ctrl)),
        (b"\x1b[27;2;13~", key(Enter, shift)),
        (b"\x1b[27;5;127~", key(Backspace, ctrl)),
        (b"\x1b[27;4;80~", key(Char('p'), alt | shift)),
        // others
        (b"\x1b[I", Event::Focus(true)),
        (b"\x1b[O", Event::Focus(false)),
        (b"\x1b[200~a\nb\x1b[Ac\x1b[201~", Event::Paste("a\nb\x1b[Ac".to_owned())),
        (b"\x1b[<0;3;5M", mouse(Button::Left, Motion::Press)),
        (b"\x1b[<0;3;5m", mouse(Button::Left, Motion::Release)),
        (b"\x1b[<65;3;5M", mouse(Button::WheelDown, Motion::Press)),
    ]
}

fn mouse(button: Button, motion: Motion) -> Event {
    Event::Mouse(Mouse { button, motion, column: 2, row: 4, modifiers: Modifiers::NONE })
}

fn replies() -> Vec<(&'static [u8], Reply)> {
    vec![
        (b"\x1b[?62;4;22c", Reply::Attributes(vec![62, 4, 22])),
        (b"\x1b[?5u", Reply::Keyboard(5)),
        (b"\x1b[?2026;2$y", Reply::PrivateMode(2026, Mode::Off)),
        (b"\x1b[?2031;0$y", Reply::PrivateMode(2031, Mode::Unknown)),
        (b"\x1b]11;rgb:ffff/8080/0000\x1b\\", Reply::Background(255, 128, 0)),
        (b"\x1b]11;rgb:1e/1e/2e\x07", Reply::Background(30, 30, 46)),
        (b"\x1b[?997;2n", Reply::Appearance(Appearance::Light)),
        (b"\x1b]99;i=omp:p=?;a=report\x1b\\", Reply::Notifications("i=omp:p=?;a=report".to_owned())),
        (b"\x1b_Gi=31;OK\x1b\\", Reply::Graphics { id: 31, accepted: true }),
        (b"\x1b_Gi=31;ENOTSUP: no\x1b\\", Reply::Graphics { id: 31, accepted: false }),
        (b"\x1b[6;18;9t", Reply::CellSize { height: 18, width: 9 }),
        (b"\x1b[48;24;80;480;800t", Reply::Resized { rows: 24, columns: 80 }),
        (b"\x1bP>|kitty(0.30)\x1b\\", Reply::Version("kitty(0.30)".to_owned())),
    ]
}

/// proves: TUI-056, TUI-061, TUI-161
#[test]
fn every_key_whole_and_byte_by_byte() {
    for (bytes, expected) in table() {
        let expected = [expected];
        assert_eq!(decode(&[bytes]), expected, "{:?}", String::from_utf8_lossy(bytes));
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(decode(&single), expected, "{:?}", String::from_utf8_lossy(bytes));
        // With pauses between the bytes that are shorter than what a sequence is waited for.
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        for (index, byte) in bytes.iter().enumerate() {
            decoder.feed(&[*byte], START + Duration::from_millis(40) * index as u32, &mut events);
        }
        decoder.expire(START + Duration::from_secs(20), &mut events);
        assert_eq!(events, expected, "{:?}", String::from_utf8_lossy(bytes));
    }
}

/// proves: TUI-153
#[test]
fn every_reply_byte_by_byte_leaks_nothing() {
    for (bytes, expected) in replies() {
        let expected = [Event::Reply(expected)];
        assert_eq!(decode(&[bytes]), expected, "{:?}", String::from_utf8_lossy(bytes));
        for at in 1..bytes.len() {
            assert_eq!(
                decode(&[&bytes[..at], &bytes[at..]]),
                expected,
                "{:?}",
                String::from_utf8_lossy(bytes)
            );
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(decode(&single), expected);
    }
}

/// Any way of tearing a stream apart gives the same events.
#[test]
fn splits_do_not_matter() {
    let mut random = fastrand::Rng::with_seed(1);
    let keys = table();
    let answers = replies();
    for _ in 0..400 {
        let mut stream = Vec::new();
        for _ in 0..random.usize(1..12) {
            match random.u8(..10) {
                0..6 => stream.extend_from_slice(random.choice(&keys).unwrap().0),
                6..9 => stream.extend_from_slice(random.choice(&answers).unwrap().0),
                _ => stream.extend((0..random.usize(1..9)).map(|_| random.u8(..))),
            }
        }
        let whole = decode(&[&stream]);
        let mut pieces = Vec::new();
        let mut rest: &[u8] = &stream;
        while !rest.is_empty() {
            let (piece, left) = rest.split_at(random.usize(1..=rest.len().min(5)));
            pieces.push(piece);
            rest = left;
        }
        assert_eq!(decode(&pieces), whole, "{stream:?}");
    }
}

/// proves: TUI-057
#[test]
fn a_lone_escape_waits_75_milliseconds() {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    decoder.feed(b"\x1b", START, &mut events);
    assert_eq!(decoder.deadline(), Some(START + Duration::from_millis(75)));
    decoder.expire(START + Duration::from_millis(74), &mut events);
    assert!(events.is_empty());
    decoder.expire(START + Duration::from_millis(75), &mut events);
    assert_eq!(events, [key(Code::Escape, Modifiers::NONE)]);
    assert_eq!(decoder.deadline(), None);
    // A key that comes later is not its second half, even if nobody looked at the clock.
    events.clear();
    decoder.feed(b"\x1b", START, &mut events);
    decoder.feed(b"a", START + Duration::from_millis(80), &mut events);
    assert_eq!(events, [key(Code::Escape, Modifiers::NONE), key(Code::Char('a'), Modifiers::NONE)]);
}

/// `ESC P` begins a reply, and is Alt+Shift+P in terminals of old: nobody waits a second for it.
#[test]
fn an_introducer_alone_is_soon_a_key() {
    for (letter, wait) in [('P', 150), ('X', 150), ('[', 1000), ('O', 1000), ('_', 1000)] {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        decoder.feed(format!("\x1b{letter}").as_bytes(), START, &mut events);
        let deadline = decoder.deadline().unwrap();
        assert_eq!(deadline, START + Duration::from_millis(wait), "{letter}");
        decoder.expire(deadline, &mut events);
        assert_eq!(events, [Event::Key(Key::typed(letter, Modifiers::ALT))]);
    }
    let mut decoder = Decoder::new();
    decoder.feed(b"\x1bP1", START, &mut Vec::new());
    assert_eq!(decoder.deadline(), Some(START + Duration::from_secs(1)), "what goes on is a reply");
}

/// proves: TUI-059
#[test]
fn a_paste_without_an_end_cannot_hang() {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    decoder.feed(b"\x1b[200~text\x1b[20", START, &mut events);
    assert!(events.is_empty());
    let deadline = decoder.deadline().unwrap();
    assert_eq!(deadline, START + Duration::from_secs(1));
    decoder.expire(deadline, &mut events);
    decoder.feed(b"x", deadline, &mut events);
    assert_eq!(events, [Event::Paste("text\x1b[20".to_owned()), key(Code::Char('x'), Modifiers::NONE)]);
    // And one that never pauses is handed over in parts.
    events.clear();
    decoder.feed(b"\x1b[200~", deadline, &mut events);
    let block = "ä".repeat(500_000);
    for _ in 0..20 {
        decoder.feed(block.as_bytes(), deadline, &mut events);
    }
    assert!(matches!(&events[..], [Event::Paste(text)] if !text.contains('\u{fffd}')), "{}", events.len());
}

/// 10 MB, in the pieces that a terminal delivers, are one event and linear work.
#[test]
fn a_large_paste_is_one_event() {
    let text = "line of text with an \x1b[31mescape\x1b[m\r".repeat(300_000);
    let mut stream = b"\x1b[200~".to_vec();
    stream.extend_from_slice(text.as_bytes());
    stream.extend_from_slice(b"\x1b[201~");
    assert!(text.len() > 10_000_000);
    let pieces: Vec<&[u8]> = stream.chunks(1021).collect();
    assert_eq!(decode(&pieces), [Event::Paste(text)]);
}

/// proves: TUI-063
#[test]
fn a_broken_sequence_does_not_take_keys_with_it() {
    let typed = |character| key(Code::Char(character), Modifiers::NONE);
    // A key in the middle of a reply: the reply is lost, the key is not.
    assert_eq!(decode(&[b"\x1b[?2026;\x1b[A"]), [key(Code::Up, Modifiers::NONE)]);
    assert_eq!(decode(&[b"\x1b]11;rgb:ff", b"\x1b[B", b"x"]), [key(Code::Down, Modifiers::NONE), typed('x')]);
    assert_eq!(decode(&[b"\x1b_Gi=3\x1bOC"]), [key(Code::Right, Modifiers::NONE)]);
    // Something without an end.
    for opening in ["\x1b[?", "\x1b]11;", "\x1bP", "\x1b_G"] {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        let endless = format!("{opening}{}", "1".repeat(400));
        decoder.feed(endless.as_bytes(), START, &mut events);
        assert!(events.is_empty(), "{opening:?} {events:?}");
        decoder.feed(b"x\x1b[Ay", START + Duration::from_millis(200), &mut events);
        assert_eq!(events, [typed('x'), key(Code::Up, Modifiers::NONE), typed('y')], "{opening:?}");
    }
    // Every reply, torn at every byte, with a key in between, types nothing but the key.
    for (bytes, _) in replies() {
        for at in 1..bytes.len() {
            let events = decode(&[&bytes[..at], b"\x1b[A"]);
            assert_eq!(events.last(), Some(&key(Code::Up, Modifiers::NONE)), "{bytes:?} {at}");
            let leaked =
                events.iter().filter(|event| matches!(event, Event::Key(key) if key.text().is_some()));
            assert_eq!(leaked.count(), 0, "{bytes:?} {at} {events:?}");
        }
    }
}

#[test]
fn typed_text() {
    assert_eq!(Key::typed('A', Modifiers::NONE).text(), Some('A'));
    assert_eq!(Key::typed('ß', Modifiers::NONE).text(), Some('ß'));
    assert_eq!(Key::typed('a', Modifiers::CTRL).text(), None);
    assert_eq!(Key { kind: KeyEventKind::Release, ..Key::typed('a', Modifiers::NONE) }.text(), None);
}

#[test]
fn many_pastes_at_once_take_no_more_stack_than_one() {
    let bytes = b"\x1b[200~x\x1b[201~".repeat(200_000);
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    decoder.feed(&bytes, Duration::ZERO, &mut events);
    assert_eq!(events.len(), 200_000);
    assert!(events.iter().all(|event| *event == Event::Paste("x".to_owned())));
}

/// While an answer is owed, an Escape waits longer for its rest; a key it is in the end all the same.
#[test]
fn a_torn_reply_is_no_text_while_one_is_expected() {
    let torn = |expects: bool| {
        let (mut decoder, mut events) = (Decoder::new(), Vec::new());
        decoder.expect_reply(expects);
        decoder.feed(b"\x1b", START, &mut events);
        decoder.feed(b"]11;rgb:0000/0000/0000\x1b\\", START + Duration::from_millis(300), &mut events);
        events
    };
    assert!(matches!(torn(true)[..], [Event::Reply(_)]), "{:?}", torn(true));
    assert!(matches!(torn(false)[0], Event::Key(_)));
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    decoder.expect_reply(true);
    decoder.feed(b"\x1b", START, &mut events);
    decoder.expire(START + Duration::from_millis(500), &mut events);
    assert_eq!(events, [Event::Key(Key::new(Code::Escape, Modifiers::NONE))]);
}
