//! What extensions act on: a session, and the program around it.

use futures_util::future::BoxFuture;
use serde_json::Value;

/// One side of the program that extensions can ask. The operations are those of `operation`.
pub trait Port: Send + Sync {
    /// Called on the thread of the scripts, which waits: it must answer at once.
    fn call_now(&self, operation: &str, arguments: Value) -> Result<Value, String>;

    fn call(&self, operation: &str, arguments: Value) -> BoxFuture<'static, Result<Value, String>>;
}
