//! Models in use: which there are, which one a session works with, and what it makes of a conversation.
//!
//! The registry of `omp-llm` knows providers and wires. This crate fills it from the user's file ([`load_registry`]) and from
//! the lists of servers ([`ModelLists`]), gives models to roles and profiles, chooses one ([`choose_model`]), and measures:
//! what the prompt cache saves ([`CacheLedger`]), what fills the window ([`ContextMeter`]), how fast answers come
//! ([`measure`]).

#![warn(missing_docs)]

mod bench;
mod cache_ledger;
mod choice;
mod context_meter;
mod effort;
mod listing;
mod lists;
mod models_file;
mod profiles;
mod provider_presets;
mod recent_models;
mod roles;

pub use bench::{BenchFigures, BenchPlan, BenchRow, BenchRun, measure};
pub use cache_ledger::{
    CacheAtStake, CacheLedger, CacheMiss, CacheReport, CauseTotal, MissCause, WatchedModel,
};
pub use choice::{ChoiceError, ModelOptions, ModelSources, choose_model};
pub use context_meter::{ContextMeter, ContextPart, ContextUse, is_summary};
pub use effort::{Effort, EffortClassifier};
pub use listing::{
    CanonicalRow, CostRow, ModelListing, ModelRow, Survey, ThinkingRow, list_models, survey_models,
};
pub use lists::{ListAsker, ListState, ListStatus, ModelLists};
pub use models_file::{load_registry, load_registry_at, registry_loader};
pub use profiles::{ActivationError, ProfileError, ProfileRow, activate_profile, bind_roles, list_profiles};
pub use provider_presets::{ProviderAdded, ProviderPreset, add_provider, has_provider};
pub use recent_models::note_used_model;
pub use roles::{
    RoleCycle, RoleTarget, model_of_role, resolve_role, role_cycle_order, role_names, without_level,
};
