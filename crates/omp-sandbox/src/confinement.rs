//! A policy and what enforces it.

use crate::policy::{Network, Policy};
use crate::rung::Rung;
use crate::sys::{self, PROXY_PORT, Prepared};

/// A policy on a rung.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Confinement {
    pub policy: Policy,
    pub rung: Rung,
}

impl Confinement {
    pub fn new(policy: Policy, rung: Rung) -> Self {
        Self { policy, rung }
    }

    /// Looks at the disk: what exists now is what gets protected and hidden.
    pub fn prepare(&self) -> Prepared {
        sys::prepare(&self.policy, self.rung)
    }

    /// Variables by which programs find the way out that there is.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        if !self.filters() {
            return Vec::new();
        }
        let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
        let own = "localhost,127.0.0.1,::1".to_owned();
        let mut variables: Vec<(&'static str, String)> =
            ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
                .map(|name| (name, proxy.clone()))
                .to_vec();
        variables.extend([("NO_PROXY", own.clone()), ("no_proxy", own)]);
        variables.push(("NODE_USE_ENV_PROXY", "1".to_owned()));
        variables
    }

    /// Is there a proxy that decides host by host?
    pub fn filters(&self) -> bool {
        self.policy.network == Network::Filtered && matches!(self.rung, Rung::Namespaces { .. })
    }

    /// `writes: workspace · network: none · by Landlock 7 + namespaces`
    pub fn summary(&self) -> String {
        match self.rung {
            Rung::None => "not confined".to_owned(),
            rung => {
                let network = match self.policy.network {
                    // Without a proxy there is no telling hosts apart.
                    Network::Filtered if !self.filters() => Network::Closed,
                    network => network,
                };
                format!("writes: {} · network: {network} · by {rung}", self.policy.writes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_is_said() {
        let policy = Policy { writes: "workspace", network: Network::Filtered, ..Policy::default() };
        let summary = |rung| Confinement::new(policy.clone(), rung).summary();
        let full = Rung::Namespaces { landlock: 7 };
        assert_eq!(summary(full), "writes: workspace · network: by host · by Landlock 7 + namespaces");
        assert_eq!(summary(Rung::Bubblewrap), "writes: workspace · network: none · by bubblewrap");
        assert_eq!(summary(Rung::Landlock { abi: 7 }), "writes: workspace · network: none · by Landlock 7");
        assert_eq!(summary(Rung::None), "not confined");
    }
}
