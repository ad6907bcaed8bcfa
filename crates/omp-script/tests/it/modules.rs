use crate::support::Bench;
