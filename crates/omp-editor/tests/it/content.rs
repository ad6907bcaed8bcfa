//! What leaves the editor.

use omp_editor::{Content, ContentPart, ImageHandle};

#[test]
fn blank_is_not_empty() {
    assert!(Content::from("").is_empty());
    assert!(Content::from(" \n").is_blank() && !Content::from(" \n").is_empty());
    assert!(!Content::from_marked("", &[ImageHandle("x".into())]).is_blank());
}

#[test]
fn texts_are_joined() {
    let mut content = Content::from("a");
    content.push(ContentPart::Text("b".to_owned()));
    assert_eq!(content.parts(), [ContentPart::Text("ab".to_owned())]);
    assert_eq!(
        Content::merge([Content::default(), Content::from("a"), Content::default()]),
        Content::from("a")
    );
}

#[test]
fn markers_name_their_pictures_once() {
    let images = [ImageHandle("a".into())];
    let content = Content::from_marked("[Image #1] and [Image #1] [Image #x] [Image #0]", &images);
    assert_eq!(content.images().len(), 1);
    assert_eq!(content.text(), "[Image #1] and [Image #1] [Image #x] [Image #0]");
}
