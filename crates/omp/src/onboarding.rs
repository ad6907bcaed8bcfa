//! Whether the setup comes before the first prompt.

use omp_interactive::{SETUP_VERSION, SetUp};
use omp_sdk::settings::{Settings, keys};
use omp_sdk::{Environment, Persistence};

/// What of the setup is shown to somebody who just started the program at a terminal. Who continues with a conversation
/// is not held up.
pub(crate) fn set_up(
    settings: Option<&Settings>,
    environment: &dyn Environment,
    persistence: &Persistence,
) -> SetUp {
    let begins = matches!(persistence, Persistence::New | Persistence::Off);
    let skipped = environment.var("OMP_SKIP_SETUP").is_some_and(|value| is_skip(&value));
    let wanted = settings.is_some_and(|settings| {
        settings.get(keys::STARTUP_SETUP_WIZARD)
            && settings.get(keys::SETUP_VERSION) < f64::from(SETUP_VERSION)
    });
    if begins && wanted && !skipped { SetUp::Rest } else { SetUp::Nothing }
}

/// Anything but nothing and three words for no.
fn is_skip(value: &str) -> bool {
    !["", "0", "false", "no"].contains(&value.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::is_skip;

    #[test]
    fn few_words_mean_no() {
        assert!(["1", "true", "yes", "anything"].into_iter().all(is_skip));
        assert!(!["", "0", "false", "FALSE", "no", " "].into_iter().any(is_skip));
    }
}
