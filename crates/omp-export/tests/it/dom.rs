//! A page as a browser reads it.

use std::rc::Rc;

use html5ever::driver::ParseOpts;
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{local_name, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use omp_export::{PageOptions, SessionView, html};

/// An element with everything below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// All text inside.
    pub(crate) text: String,
    /// All elements inside, from top to bottom.
    pub(crate) inside: Vec<Rc<Element>>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.attribute("class").is_some_and(|classes| classes.split(' ').any(|known| known == class))
    }

    /// All elements of this name inside.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.inside.iter().map(Rc::as_ref).filter(move |element| element.name == name)
    }

    pub(crate) fn with_class<'e>(&'e self, class: &'e str) -> impl Iterator<Item = &'e Element> {
        self.inside.iter().map(Rc::as_ref).filter(move |element| element.has_class(class))
    }

    pub(crate) fn by_id(&self, id: &str) -> &Element {
        let found = self.inside.iter().find(|element| element.attribute("id") == Some(id));
        found.unwrap_or_else(|| panic!("nothing has the id {id}"))
    }
}

/// The page of a session, written and read.
pub(crate) fn page(session: &std::path::Path, options: &PageOptions<'_>) -> (String, Element) {
    let mut bytes = Vec::new();
    html(&SessionView::open(session).unwrap(), options, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let root = parse(&text);
    (text, root)
}

/// Reads a page; what is not HTML fails the test.
pub(crate) fn parse(text: &str) -> Element {
    let builder =
        TreeBuilderOpts { exact_errors: true, scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder: builder, ..ParseOpts::default() };
    let dom = parse_document(RcDom::default(), options).one(text);
    assert_eq!(*dom.errors.borrow(), Vec::<String>::new());
    let mut root = Element::default();
    walk(&dom.document, &mut root);
    root
}

fn walk(node: &Handle, above: &mut Element) {
    match &node.data {
        NodeData::Text { contents } => above.text.push_str(&contents.borrow()),
        NodeData::Element { name, attrs, .. } => {
            let attributes = attrs.borrow();
            let attributes = attributes
                .iter()
                .map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string()));
            let mut element = Element {
                name: name.local.to_string(),
                attributes: attributes.collect(),
                ..Element::default()
            };
            for child in node.children.borrow().iter() {
                walk(child, &mut element);
            }
            // Style and script are no text for people.
            if name.local != local_name!("style") && name.local != local_name!("script") {
                above.text.push_str(&element.text);
            }
            let below = element.inside.clone();
            above.inside.push(Rc::new(element));
            above.inside.extend(below);
        }
        _ => node.children.borrow().iter().for_each(|child| walk(child, above)),
    }
}
