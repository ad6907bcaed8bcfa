//! The accounts of the user, with the settings and the credentials of a session.

use std::sync::Arc;

use omp_auth::{Quotas, RegistryLoader, SignIn};
use omp_models::registry_loader;

use crate::session::Session;

/// The user's accounts, with the settings and the credentials of a session.
#[derive(Clone, Copy)]
pub struct SessionAccounts<'s> {
    pub(crate) session: &'s Session,
}

impl SessionAccounts<'_> {
    /// Signing in and out, with the credentials that this session uses: what is stored counts at once.
    pub fn sign_in(self) -> Option<SignIn> {
        SignIn::new(self.registry_loader(), Arc::clone(&self.session.models.environment))
    }

    /// Where quotas are asked for, with the settings of the session.
    pub fn quotas(self) -> Quotas {
        let environment = Arc::clone(&self.session.models.environment);
        Quotas::new(self.session.places.directories.clone(), self.registry_loader(), environment)
    }

    fn registry_loader(self) -> RegistryLoader {
        registry_loader(self.session.places.directories.clone(), self.session.settings())
    }
}
