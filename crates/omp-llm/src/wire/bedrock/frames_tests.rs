use super::*;

/// One message with text headers.
fn message(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    for (name, value) in headers {
        encoded.push(name.len() as u8);
        encoded.extend_from_slice(name.as_bytes());
        encoded.push(7);
        encoded.extend_from_slice(&(value.len() as u16).to_be_bytes());
        encoded.extend_from_slice(value.as_bytes());
    }
    frame(&encoded, payload)
}

fn frame(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = ((PRELUDE + headers.len() + payload.len() + CHECKSUM) as u32).to_be_bytes().to_vec();
    bytes.extend_from_slice(&(headers.len() as u32).to_be_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
    bytes.extend_from_slice(headers);
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
    bytes
}

fn decode(chunks: &[&[u8]]) -> Result<Vec<(String, String)>, FrameError> {
    let mut decoder = EventStreamDecoder::new(256);
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk, |event| {
            events.push((event.name.to_owned(), event.data.to_owned()));
            Ok::<(), FrameError>(())
        })?;
    }
    Ok(events)
}

fn recording() -> Vec<u8> {
    let json = (":content-type", "application/json");
    let event =
        message(&[(":event-type", "a"), json, (":message-type", "event")], "{\"x\":\"€\"}".as_bytes());
    let exception = message(
        &[(":exception-type", "throttlingException"), (":message-type", "exception")],
        b"{\"message\":\"slow\"}",
    );
    let error =
        message(&[(":message-type", "error"), (":error-code", "Oops"), (":error-message", "no")], b"");
    [event, exception, error].concat()
}

#[test]
fn messages_do_not_depend_on_where_chunks_are_cut() {
    let bytes = recording();
    let expected: Vec<(String, String)> = [
        ("a", "{\"x\":\"€\"}"),
        ("throttlingException", "{\"message\":\"slow\"}"),
        ("error", "{\"code\":\"Oops\",\"message\":\"no\"}"),
    ]
    .map(|(name, data)| (name.to_owned(), data.to_owned()))
    .to_vec();
    for cut in 0..=bytes.len() {
        assert_eq!(decode(&[&bytes[..cut], &bytes[cut..]]).unwrap(), expected, "cut at {cut}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(decode(&single).unwrap(), expected);
}

/// A flipped bit anywhere never gives other events: it is noticed, or the stream is incomplete.
#[test]
fn damage_is_noticed_at_every_byte() {
    let bytes = recording();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(decode(&[&damaged]).is_err(), "byte {at}");
    }
}

/// A prelude of lengths that the format's description gives as its example: 12 bytes of an empty message.
#[test]
fn checksums_are_those_of_the_format() {
    let empty = [0, 0, 0, 0x10, 0, 0, 0, 0, 0x05, 0xc2, 0x48, 0xeb, 0x7d, 0x98, 0xc8, 0xff];
    assert_eq!(decode(&[&empty]).unwrap(), [(String::new(), String::new())]);
}

#[test]
fn values_of_every_kind_are_stepped_over() {
    let mut headers = Vec::new();
    let kinds: [(u8, &[u8]); 9] = [
        (0, &[]),
        (1, &[]),
        (2, &[1]),
        (3, &[1, 2]),
        (4, &[1, 2, 3, 4]),
        (5, &[0; 8]),
        (6, &[0, 3, 1, 2, 3]),
        (8, &[0; 8]),
        (9, &[0; 16]),
    ];
    for (kind, value) in kinds {
        headers.extend_from_slice(&[1, b'k', kind]);
        headers.extend_from_slice(value);
    }
    headers.extend_from_slice(b"\x0b:event-type\x07\x00\x01z");
    assert_eq!(decode(&[&frame(&headers, b"{}")]).unwrap(), [("z".to_owned(), "{}".to_owned())]);
    assert!(decode(&[&frame(b"\x01k\x0a", b"")]).is_err(), "unknown kind");
    assert!(decode(&[&frame(b"\x09k", b"")]).is_err(), "name too long");
}

#[test]
fn sizes_are_bounded() {
    let large = message(&[(":event-type", "a")], &[b' '; 300]);
    assert_eq!(decode(&[&large[..12]]), Err(SseError::TooLarge { limit: 256 }.into()));
    let mut lying = [0, 0, 0, 0x10, 0, 0, 0, 0x20].to_vec();
    lying.extend_from_slice(&crc32fast::hash(&lying).to_be_bytes());
    assert!(matches!(decode(&[&lying]), Err(FrameError::Damaged(_))));
}
