//! Whether and when a failed model call is made again. Pure decisions; waiting happens elsewhere.

use omp_types::{Failure, FailureKind};

use crate::config::RetryConfig;

/// What is known when a call has failed.
pub(crate) struct Situation<'a> {
    pub(crate) failure: &'a Failure,
    /// Text, thinking or a call had already reached the listeners.
    pub(crate) visible_output: bool,
    /// Retries already made for this turn.
    pub(crate) retries: u32,
    /// A number in `0.0..1.0`.
    pub(crate) random: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    RetryAfterMs(u64),
    GiveUp(String),
}

/// Could another try of the same request succeed at all?
pub(crate) fn is_retryable(failure: &Failure, visible_output: bool) -> bool {
    let transient = matches!(
        failure.kind,
        FailureKind::Transient | FailureKind::RateLimit | FailureKind::UsageLimit | FailureKind::StaleState
    );
    transient && !visible_output
}

/// Decides on a retry of the same model.
pub(crate) fn decide(situation: &Situation<'_>, config: &RetryConfig) -> Verdict {
    let failure = situation.failure;
    let give_up = || Verdict::GiveUp(failure.message.clone());
    if !config.enabled
        || !is_retryable(failure, situation.visible_output)
        || situation.retries >= config.max_retries
    {
        return give_up();
    }
    let delay = backoff_ms(situation.retries + 1, config.base_delay_ms, situation.random);
    let needed = delay.max(failure.retry_after_ms.unwrap_or(0));
    if let Ok(limit) = u64::try_from(config.max_delay_ms)
        && limit > 0
        && needed > limit
    {
        return Verdict::GiveUp(format!(
            "Provider requested {needed}ms wait, exceeds retry.maxDelayMs ({limit}ms). Original error: {}",
            failure.message
        ));
    }
    Verdict::RetryAfterMs(needed)
}

/// Doubles from the base up to eight seconds, shortened at random by up to a quarter.
fn backoff_ms(attempt: u32, base_ms: u64, random: f64) -> u64 {
    const CEILING_MS: u64 = 8000;
    let doubled = base_ms.saturating_mul(1_u64.checked_shl(attempt - 1).unwrap_or(u64::MAX));
    (doubled.min(CEILING_MS) as f64 * (0.75 + 0.25 * random)).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: FailureKind, retry_after_ms: Option<u64>) -> Failure {
        Failure { kind, message: "boom".into(), status: None, retry_after_ms }
    }

    fn verdict(failure: &Failure, retries: u32, random: f64) -> Verdict {
        let situation = Situation { failure, visible_output: false, retries, random };
        decide(&situation, &RetryConfig::default())
    }

    // proves: LOP-034
    #[test]
    fn delays_double_up_to_eight_seconds_with_jitter() {
        let failure = failure(FailureKind::Transient, None);
        for (retries, nominal) in [500, 1000, 2000, 4000, 8000, 8000].into_iter().enumerate() {
            assert_eq!(verdict(&failure, retries as u32, 1.0), Verdict::RetryAfterMs(nominal));
            for sample in 0..200 {
                let Verdict::RetryAfterMs(delay) =
                    verdict(&failure, retries as u32, f64::from(sample) / 200.0)
                else {
                    panic!("must retry");
                };
                assert!((nominal * 3 / 4..=nominal).contains(&delay), "{delay} of {nominal}");
            }
        }
    }

    // proves: LOP-035
    #[test]
    fn hints_lengthen_but_never_shorten() {
        assert_eq!(
            verdict(&failure(FailureKind::RateLimit, Some(2500)), 0, 1.0),
            Verdict::RetryAfterMs(2500)
        );
        assert_eq!(verdict(&failure(FailureKind::RateLimit, Some(10)), 0, 1.0), Verdict::RetryAfterMs(500));
    }

    // proves: LOP-037
    #[test]
    fn a_wait_beyond_the_limit_fails_at_once() {
        let failure = failure(FailureKind::RateLimit, Some(3_600_000));
        let expected =
            "Provider requested 3600000ms wait, exceeds retry.maxDelayMs (300000ms). Original error: boom";
        assert_eq!(verdict(&failure, 0, 1.0), Verdict::GiveUp(expected.into()));
        let situation = Situation { failure: &failure, visible_output: false, retries: 0, random: 1.0 };
        let unlimited = RetryConfig { max_delay_ms: 0, ..RetryConfig::default() };
        assert_eq!(decide(&situation, &unlimited), Verdict::RetryAfterMs(3_600_000));
    }

    // proves: LOP-031
    #[test]
    fn overflow_and_visible_output_are_final() {
        assert!(matches!(verdict(&failure(FailureKind::ContextOverflow, None), 0, 1.0), Verdict::GiveUp(_)));
        assert!(matches!(verdict(&failure(FailureKind::Auth, None), 0, 1.0), Verdict::GiveUp(_)));
        let cut = failure(FailureKind::Transient, None);
        let situation = Situation { failure: &cut, visible_output: true, retries: 0, random: 1.0 };
        assert_eq!(decide(&situation, &RetryConfig::default()), Verdict::GiveUp("boom".into()));
    }
}
