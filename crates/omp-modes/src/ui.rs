//! What a person does in a session besides prompting.

use futures_util::future::BoxFuture;

use crate::review::{PlanReview, PlanVerdict};

/// A terminal, or a program that speaks for one.
pub trait Ui: Send + Sync {
    /// Shows a plan and waits for the decision about it.
    fn review<'a>(&'a self, review: &'a PlanReview) -> BoxFuture<'a, PlanVerdict>;

    /// Puts a question that is answered by yes or no.
    fn confirm<'a>(&'a self, question: &'a str) -> BoxFuture<'a, bool>;

    /// Puts a question that is answered in words; `None` if the person gives up.
    fn question<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Option<String>>;

    /// Lets the person change a text; `None` if the person gives up.
    fn edit<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Option<String>>;

    /// Is something typed or attached that was not sent yet? Nothing is sent by itself then.
    fn is_composing(&self) -> bool {
        false
    }
}
