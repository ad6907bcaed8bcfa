//! What a frame looks like.

use omp_snapcompact::{Script, Shape, Span, draw, paginate};

use crate::{Picture, read};

fn script(text: &str) -> Script {
    Script { spans: vec![Span::plain(text)] }
}

fn frames(text: &str, shape: Shape) -> Vec<Picture> {
    paginate(&script(text), shape).iter().map(|page| read(&draw(page, shape).expect("a frame"))).collect()
}

fn shape(name: &str) -> Shape {
    Shape::named(name).expect("a shape")
}

/// The width belongs to the shape; the height is what the lines need.
/// proves: CMP-078
#[test]
fn height_follows_the_text() {
    for (name, width, line) in [("6x12-dim", 1568, 12), ("8on16-bw", 1568, 16), ("doc-8on16-bw", 2048, 16)] {
        let shape = shape(name);
        let (columns, rows) = shape.grid();
        let short = frames("a few words", shape);
        assert_eq!((short[0].width, short[0].height), (width, line), "{name}");
        let three = frames(&"x".repeat(3 * columns), shape);
        assert_eq!((three[0].width, three[0].height), (width, 3 * line), "{name}");
        let long = frames(&"x".repeat(columns * rows + 1), shape);
        let sizes: Vec<(usize, usize)> = long.iter().map(|frame| (frame.width, frame.height)).collect();
        assert_eq!(sizes, [(width, width / line * line), (width, line)], "{name}");
    }
}

/// The pixels of a line are those of its characters, one cell after another.
#[test]
fn characters_stand_in_their_cells() {
    let frame = &frames("I I", shape("8x13-bw"))[0];
    let inked = |cell: usize| {
        let mut count = 0;
        for y in 0..frame.height {
            for x in cell * 8..cell * 8 + 8 {
                count += usize::from(frame.pixels[(y * frame.width + x) * 3] == 0);
            }
        }
        count
    };
    assert!(inked(0) > 10);
    assert_eq!(inked(1), 0);
    assert_eq!(inked(2), inked(0));
    assert_eq!(inked(3), 0);
}

#[test]
fn columns_keep_words_whole() {
    let shape = shape("doc-8on16-bw");
    let (columns, rows) = shape.grid();
    let words = "word ".repeat(columns * rows / 5);
    let pages = paginate(&script(&words), shape);
    let text = pages[0].text();
    let first = text.lines().next().expect("a line");
    assert!(first.split_whitespace().all(|word| word == "word"), "{first}");
    assert!(first.len() > columns + 4, "both columns are used: {first}");
}

#[test]
fn the_same_text_gives_the_same_bytes() {
    let shape = shape("doc-8on16-sent-dim");
    let text = "The same text. It has two sentences! ".repeat(400);
    let bytes = || -> Vec<Vec<u8>> {
        paginate(&script(&text), shape).iter().map(|page| draw(page, shape).expect("a frame")).collect()
    };
    assert_eq!(bytes(), bytes());
}
