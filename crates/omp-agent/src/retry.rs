//! Whether and when a failed model call is made again. Pure decisions; waiting happens elsewhere.

use omp_types::{Failure, FailureKind};

use crate::config::RetryConfig;

/// Is anything to be tried after `retries` attempts? Calls run only when their answer is complete, so an answer that
/// broke off has had no effect, however much of it was shown.
pub(crate) fn is_allowed(
    failure: &Failure,
    visible_output: bool,
    retries: u32,
    config: &RetryConfig,
) -> bool {
    let worth_it = match failure.kind {
        FailureKind::Transient
        | FailureKind::RateLimit
        | FailureKind::UsageLimit
        | FailureKind::StaleState => retries < config.max_retries,
        // The same model would refuse again; the number of other models is the limit. What was shown of an answer
        // before its refusal did not break off, it is the answer.
        FailureKind::Refusal => !visible_output,
        FailureKind::NotListening => true,
        FailureKind::Aborted
        | FailureKind::ContextOverflow
        | FailureKind::Contaminated
        | FailureKind::Auth
        | FailureKind::Fatal => false,
    };
    config.enabled && worth_it
}

/// How long to wait before the same model is asked again, or why that is too long. `random` is in `0.0..1.0`.
pub(crate) fn wait_ms(
    failure: &Failure,
    retries: u32,
    random: f64,
    config: &RetryConfig,
) -> Result<u64, String> {
    let delay = backoff_ms(retries + 1, config.base_delay_ms, random);
    let needed = delay.max(failure.retry_after_ms.unwrap_or(0));
    match u64::try_from(config.max_delay_ms) {
        Ok(limit) if limit > 0 && needed > limit => Err(format!(
            "Provider requested {needed}ms wait, exceeds retry.maxDelayMs ({limit}ms). Original error: {}",
            failure.message
        )),
        _ => Ok(needed),
    }
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

    fn wait(failure: &Failure, retries: u32, random: f64) -> Result<u64, String> {
        wait_ms(failure, retries, random, &RetryConfig::default())
    }

    // proves: LOP-034
    #[test]
    fn delays_double_up_to_eight_seconds_with_jitter() {
        let failure = failure(FailureKind::Transient, None);
        for (retries, nominal) in [500, 1000, 2000, 4000, 8000, 8000].into_iter().enumerate() {
            let delay = |random| wait(&failure, retries as u32, random).unwrap();
            assert_eq!((delay(0.0), delay(1.0)), (nominal * 3 / 4, nominal));
            let samples: Vec<u64> = (0..200).map(|sample| delay(f64::from(sample) / 200.0)).collect();
            assert!(samples.iter().all(|delay| (nominal * 3 / 4..=nominal).contains(delay)), "{samples:?}");
            assert!(samples.is_sorted() && samples[0] < samples[100] && samples[100] < samples[199]);
        }
        assert_eq!(wait(&failure, 1000, 1.0), Ok(8000), "no overflow");
    }

    // proves: LOP-035
    #[test]
    fn hints_lengthen_but_never_shorten() {
        assert_eq!(wait(&failure(FailureKind::RateLimit, Some(2500)), 0, 1.0), Ok(2500));
        assert_eq!(wait(&failure(FailureKind::RateLimit, Some(10)), 0, 1.0), Ok(500));
    }

    // proves: LOP-037
    #[test]
    fn a_wait_beyond_the_limit_fails_at_once() {
        let failure = failure(FailureKind::RateLimit, Some(3_600_000));
        let expected =
            "Provider requested 3600000ms wait, exceeds retry.maxDelayMs (300000ms). Original error: boom";
        assert_eq!(wait(&failure, 0, 1.0), Err(expected.into()));
        for max_delay_ms in [0, -1] {
            let unlimited = RetryConfig { max_delay_ms, ..RetryConfig::default() };
            assert_eq!(wait_ms(&failure, 0, 1.0, &unlimited), Ok(3_600_000));
        }
    }

    // proves: LOP-031
    #[test]
    fn overflow_and_refusals_that_were_shown_are_final() {
        let allowed = |kind, visible| is_allowed(&failure(kind, None), visible, 0, &RetryConfig::default());
        assert!(allowed(FailureKind::Transient, false));
        assert!(allowed(FailureKind::Transient, true));
        assert!(allowed(FailureKind::Refusal, false));
        assert!(!allowed(FailureKind::Refusal, true));
        assert!(allowed(FailureKind::NotListening, false));
        assert!(!allowed(FailureKind::ContextOverflow, false));
        assert!(!allowed(FailureKind::Auth, false));
    }
}
