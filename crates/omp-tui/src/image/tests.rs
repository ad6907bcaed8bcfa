//! Bytes of each protocol, and what happens when there are too many pictures.

use super::*;
use crate::capability::{self, Environment};
use crate::component::Component as _;
use crate::ledger::Seam;
use crate::render::{Intent, Profile, Renderer, Size, View};
use crate::text::Color;
use crate::transcript::{Block, Transcript};

fn picture(name: &str) -> Picture {
    let pixels =
        (0..60 * 40).flat_map(|index| [(index % 60 * 4) as u8, (index / 60 * 6) as u8, 128, 255]).collect();
    let pixels = Pixels::new(60, 40, pixels).unwrap();
    Picture { name: name.to_owned(), png: vec![7; 10_000].into(), pixels: Arc::new(pixels) }
}

fn images(protocol: ImageProtocol, placeholders: bool, most: usize) -> Images {
    Images::new(ImageOptions { protocol, placeholders, most, cell: (10, 5), rows: 64 })
}

fn count(bytes: &[u8], needle: &str) -> usize {
    bytes.windows(needle.len()).filter(|window| *window == needle.as_bytes()).count()
}

/// Shows a picture for `frames` frames with something that moves below it, and returns everything written.
fn shown(images: &mut Images, frames: usize) -> Vec<u8> {
    let id = images.add(picture("cat.png"));
    let mut renderer = Renderer::new(Profile::default());
    let mut written = Vec::new();
    for frame in 0..frames {
        let (mut rows, _) = images.rows(id, 40);
        rows.push(Line::plain(&format!("tick {frame}")));
        renderer.ahead(&images.take_bytes());
        let view = View { rows: &rows, seam: Seam::default(), cursor: None, covers: &[] };
        written.extend(renderer.paint(&view, Size { width: 40, height: 20 }).bytes);
    }
    written
}

/// proves: TUI-148
#[test]
fn kitty_data_is_sent_once() {
    for placeholders in [false, true] {
        let written = shown(&mut images(ImageProtocol::Kitty, placeholders, 8), 100);
        assert_eq!(count(&written, "a=t,"), 1);
        assert_eq!(count(&written, "a=T"), 0);
        assert_eq!(count(&written, "a=p,"), 1);
        // 10,000 bytes are 13,336 characters: four pieces, the last without a successor.
        assert_eq!((count(&written, "m=1;"), count(&written, "m=0;")), (3, 1));
    }
    // Another width is another placement of the same data.
    let mut images = images(ImageProtocol::Kitty, true, 8);
    let id = images.add(picture("cat.png"));
    for width in [40, 9, 7, 40] {
        images.rows(id, width);
    }
    let written = images.take_bytes();
    assert_eq!((count(&written, "a=t,"), count(&written, "a=p,")), (1, 4));
}

/// proves: TUI-043
#[test]
fn the_variable_decides_the_protocol() {
    for (value, mark) in
        [("kitty", "\x1b_Ga=t"), ("iterm2", "\x1b]1337;File=inline=1"), ("sixel", "\x1bP0;1q")]
    {
        for term in ["xterm", "xterm-kitty"] {
            let read = |name: &str| match name {
                "PI_FORCE_IMAGE_PROTOCOL" => Some(value.to_owned()),
                "TERM" => Some(term.to_owned()),
                _ => None,
            };
            let (protocol, forced) = capability::image_protocol(Environment(&read));
            assert!(forced);
            let written = shown(&mut images(protocol, false, 8), 3);
            assert_eq!(count(&written, mark), 1, "{value} on {term}");
        }
    }
    let read = |name: &str| (name == "PI_FORCE_IMAGE_PROTOCOL").then(|| "off".to_owned());
    let written = shown(&mut images(capability::image_protocol(Environment(&read)).0, true, 8), 3);
    assert_eq!(count(&written, "\x1b_G") + count(&written, "\x1b]1337") + count(&written, "\x1bP"), 0);
    assert_eq!(count(&written, "[image: cat.png 60x40]"), 1);
}

/// proves: TUI-044
#[test]
fn placeholders_are_used_where_they_are_known() {
    let placed = |variables: &[(&str, &str)]| {
        let read =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned());
        let placeholders = capability::placeholders(Environment(&read));
        let written = shown(&mut images(ImageProtocol::Kitty, placeholders, 8), 2);
        let text = count(&written, "\u{10eeee}");
        assert_eq!((count(&written, "U=1"), count(&written, "C=1")), if text > 0 { (1, 0) } else { (0, 1) });
        text > 0
    };
    assert!(placed(&[("TERM", "xterm-kitty")]) && placed(&[("TERM", "xterm-ghostty")]));
    assert!(!placed(&[("TERM_PROGRAM", "WezTerm")]) && !placed(&[]));
    assert!(!placed(&[("TERM", "xterm-kitty"), ("PI_NO_KITTY_PLACEHOLDERS", "1")]));
    assert!(placed(&[("PI_KITTY_PLACEHOLDERS", "1")]));
}

/// proves: TUI-149
#[test]
fn the_oldest_gives_way_without_moving_anything() {
    for protocol in [ImageProtocol::Kitty, ImageProtocol::Iterm2, ImageProtocol::Sixel] {
        let mut images = images(protocol, true, 2);
        let ids: Vec<ImageId> = (0..3).map(|index| images.add(picture(&format!("{index}.png")))).collect();
        let mut renderer = Renderer::new(Profile::default());
        let size = Size { width: 40, height: 40 };
        let mut show = |images: &mut Images, ids: &[ImageId]| {
            let rows: Vec<Line> = ids.iter().flat_map(|id| images.rows(*id, 40).0).collect();
            // What gave way meanwhile is asked again.
            let rows: Vec<Line> = if rows.is_empty() {
                rows
            } else {
                ids.iter().flat_map(|id| images.rows(*id, 40).0).collect()
            };
            renderer.ahead(&images.take_bytes());
            let view = View { rows: &rows, seam: Seam::default(), cursor: None, covers: &[] };
            (rows.clone(), renderer.paint(&view, size))
        };
        show(&mut images, &ids[..2]);
        let (before, _) = show(&mut images, &ids[..2]);
        let (after, painted) = show(&mut images, &ids);
        assert_eq!(after.len(), before.len() / 2 * 3);
        assert_eq!(after[0].text(), "[image: 0.png 60x40]");
        assert!(after[1..4].iter().all(Line::is_blank));
        assert_eq!(after[4..8], before[4..8], "the second one stays");
        assert_ne!(painted.intent, Intent::FullPaint);
        let deleted = usize::from(protocol == ImageProtocol::Kitty);
        assert_eq!(count(&painted.bytes, "\x1b_Ga=d,d=I,i=1,"), deleted);
        assert_eq!(count(&painted.bytes, "\x1b[2J"), 0);
    }
}

struct Shown(std::rc::Rc<std::cell::RefCell<Images>>, ImageId);

impl Block for Shown {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        self.0.borrow_mut().rows(self.1, width).0.into()
    }

    fn is_final(&self) -> bool {
        true
    }
}

/// proves: TUI-150
#[test]
fn a_picture_in_history_only_loses_its_pixels() {
    let images = std::rc::Rc::new(std::cell::RefCell::new(images(ImageProtocol::Kitty, true, 1)));
    let mut transcript = Transcript::new();
    let mut renderer = Renderer::new(Profile::default());
    let size = Size { width: 40, height: 6 };
    let mut blocks = Vec::new();
    let mut ledgers = Vec::new();
    for index in 0..6 {
        let id = images.borrow_mut().add(picture(&format!("{index}.png")));
        blocks.push(transcript.push(Box::new(Shown(images.clone(), id))));
        // Pictures that lost their pixels are shown as text from now on, also those that are in history.
        for _ in 0..2 {
            blocks.iter().for_each(|block| transcript.refresh(*block));
            let layout = transcript.layout(size.width);
            let rows: Vec<Line> = (0..layout.rows).map(|row| transcript.row(row)).collect();
            assert_eq!(rows.len(), 4 * blocks.len());
            renderer.ahead(&images.borrow_mut().take_bytes());
            let view = View { rows: &rows, seam: layout.seam, cursor: None, covers: &[] };
            let painted = renderer.paint(&view, size);
            // Rows enter history once and are never written again.
            assert_eq!(painted.chunk.end, painted.ledger.committed);
            assert!(painted.chunk.is_empty() || painted.chunk.start == ledgers.last().copied().unwrap_or(0));
            ledgers.push(painted.ledger.committed);
        }
    }
    assert_eq!(ledgers.last(), Some(&18));
}

/// Reads a sixel sequence back: the colour in percent of every pixel that was set.
fn decode(bytes: &[u8], width: usize, height: usize) -> Vec<Option<[u16; 3]>> {
    let text = std::str::from_utf8(bytes).unwrap();
    let body = text.strip_prefix("\x1bP0;1q").unwrap().strip_suffix("\x1b\\").unwrap();
    let mut pixels = vec![None; width * height];
    let (mut registers, mut current) = (BTreeMap::new(), 0u16);
    let (mut column, mut top, mut repeat) = (0, 0, 1);
    let mut rest = body;
    let number = |text: &mut &str| {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, left) = text.split_at(end);
        *text = left;
        digits.parse::<u16>().unwrap()
    };
    while let Some(first) = rest.chars().next() {
        rest = &rest[1..];
        match first {
            '"' => rest = &rest[rest.find('#').unwrap()..],
            '#' => {
                current = number(&mut rest);
                if let Some(mut values) = rest.strip_prefix(";2;") {
                    let red = number(&mut values);
                    values = &values[1..];
                    let green = number(&mut values);
                    values = &values[1..];
                    let blue = number(&mut values);
                    registers.insert(current, [red, green, blue]);
                    rest = values;
                }
            }
            '!' => repeat = usize::from(number(&mut rest)),
            '$' => column = 0,
            '-' => (column, top) = (0, top + 6),
            bits => {
                let bits = bits as u8 - b'?';
                for _ in 0..std::mem::replace(&mut repeat, 1) {
                    for row in (0..6).filter(|row| bits & (1 << row) != 0) {
                        pixels[(top + row) * width + column] = Some(registers[&current]);
                    }
                    column += 1;
                }
            }
        }
    }
    pixels
}

#[test]
fn sixels_read_back_look_alike() {
    let picture = picture("x");
    let found = decode(&sixel(&picture.pixels), 60, 40);
    for row in 0..40 {
        for column in 0..60 {
            let wanted = picture.pixels.at(column, row).unwrap();
            let shown = found[row * 60 + column].expect("every pixel is set");
            for (wanted, shown) in wanted.into_iter().zip(shown) {
                let wanted = u16::from(wanted) * 100 / 255;
                assert!(wanted.abs_diff(shown) <= 21, "{column},{row}: {wanted} is {shown}");
            }
        }
    }
}

#[test]
fn transparent_pixels_stay_empty() {
    let pixels = Pixels::new(2, 1, vec![255, 0, 0, 255, 9, 9, 9, 0]).unwrap();
    assert_eq!(decode(&sixel(&pixels), 2, 1), [Some([100, 0, 0]), None]);
    let rows = half_blocks(&pixels, 2, 1);
    assert_eq!(rows[0].text(), "▀ ");
    assert_eq!(rows[0].spans()[0].style().foreground, Color::Rgb(255, 0, 0));
    assert!(Pixels::new(2, 2, vec![0; 3]).is_none());
}

#[test]
fn a_picture_fits_where_it_is_shown() {
    let pixels = Pixels::new(1000, 500, vec![0; 1000 * 500 * 4]).unwrap();
    assert_eq!(pixels.cells((20, 10), 200, 60), (100, 25));
    assert_eq!(pixels.cells((20, 10), 40, 60), (40, 10));
    assert_eq!(pixels.cells((20, 10), 200, 5), (20, 5));
    assert_eq!(pixels.cells((20, 10), 1, 1), (1, 1));
}
