//! What a scanner has found so far.

use super::Piece;
use super::json_text::JsonText;

/// Collects pieces; neighbouring ones of one kind are joined.
#[derive(Default)]
pub(crate) struct Output {
    pieces: Vec<Piece>,
    /// Repairs the arguments of the open call.
    json: JsonText,
    is_call_open: bool,
    is_over: bool,
}

impl Output {
    pub(crate) fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.pieces)
    }

    /// Does nothing count any more?
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(crate) fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    pub(crate) fn thinking(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Thinking(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Thinking(text.to_owned())),
        }
    }

    pub(crate) fn open_call(&mut self, name: &str, id: Option<&str>) {
        self.pieces.push(Piece::CallStart { name: name.to_owned(), id: id.map(str::to_owned) });
        self.json = JsonText::default();
        self.is_call_open = true;
    }

    /// Arguments as they are to be taken.
    pub(crate) fn arguments(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Arguments(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Arguments(text.to_owned())),
        }
    }

    /// Arguments as the model wrote them, with what is safe to mend mended.
    pub(crate) fn written_arguments(&mut self, text: &str) {
        let mut mended = String::new();
        self.json.push(text, &mut mended);
        self.arguments(&mended);
    }

    pub(crate) fn close_call(&mut self) {
        let mut mended = String::new();
        self.json.finish(&mut mended);
        self.arguments(&mended);
        self.is_call_open = false;
        self.pieces.push(Piece::CallEnd);
    }

    /// The call that is open, or was about to be, is not complete.
    pub(crate) fn truncate(&mut self, name: &str) {
        if !self.is_call_open && !name.is_empty() {
            self.open_call(name, None);
        }
        self.is_call_open = false;
        self.pieces.push(Piece::Truncated);
    }

    /// A call that is complete at once. Arguments that are no JSON fail when they are parsed, and whoever would have
    /// run the call tells the model.
    pub(crate) fn whole_call(&mut self, name: &str, arguments: &str) {
        self.open_call(name, None);
        self.arguments(arguments);
        self.is_call_open = false;
        self.pieces.push(Piece::CallEnd);
    }

    /// The model has begun to write results itself.
    pub(crate) fn fabricated(&mut self) {
        self.pieces.push(Piece::FabricatedResult);
        self.is_over = true;
    }

    /// The model says that its turn is over.
    pub(crate) fn stop(&mut self) {
        self.pieces.push(Piece::Stop);
        self.is_over = true;
    }
}
