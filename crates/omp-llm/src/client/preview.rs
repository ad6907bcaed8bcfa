//! What a request would look like on its wire.

use omp_types::ModelRequest;

use super::Client;
use super::http::without_secrets;
use crate::dialect::{self, Lifting};
use crate::model::{Api, Model, Transport};
use crate::wire;

impl Client {
    /// Where a request would go, and its body, as [`Client::stream`] sends it. Nothing is sent, and there is no
    /// credential in either; the built-in tour sends nothing anyway and has an empty body.
    pub fn preview(&self, model: &Model, request: &ModelRequest) -> (String, String) {
        if model.api == Api::Demo {
            return (model.base_url.clone(), String::new());
        }
        let ours = model.transport != Transport::PiNative;
        let inert =
            (ours && dialect::is_harmony_served(&model.id)).then(|| dialect::inert(request)).flatten();
        let request = inert.as_ref().unwrap_or(request);
        let in_band = match self.lifting(model).filter(|_| ours) {
            Some(Lifting::Dialect(dialect)) => Some(dialect::in_band(dialect, model, request)),
            _ => None,
        };
        let request = in_band.as_ref().unwrap_or(request);
        let policy = self.policy(model, request);
        let request = wire::encode(model, request, policy, &self.options.hosts);
        (without_secrets(&request.url), request.body)
    }
}
