//! What going back before a prompt would do.

use std::collections::{BTreeMap, BTreeSet};

use crate::checkpoint::Inner;
use crate::commits::absolute;
use crate::error::HistoryError;
use crate::git::{Git, Status};
use crate::plan::Plan;
use crate::world::{Remembered, World};

impl Inner {
    pub(crate) fn counts(
        &mut self,
        prompts: &[String],
        git: Option<&Git>,
        status: Option<&Status>,
    ) -> Result<Vec<Option<usize>>, HistoryError> {
        let moments: Vec<Moment> = prompts.iter().map(|entry| self.moment_of(prompts, entry)).collect();
        let mut world = self.world(git, status);
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        let mut counts = Vec::with_capacity(moments.len());
        for moment in moments {
            counts.push(match moment {
                Moment::Forgotten => None,
                Moment::Nothing => Some(0),
                Moment::At(moment) => match known.get(&moment) {
                    Some(count) => Some(*count),
                    None => match world.plan(moment) {
                        Ok(plan) => Some(*known.entry(moment).or_insert(plan.files())),
                        Err(HistoryError::TooMany(_)) => None,
                        Err(error) => return Err(error),
                    },
                },
            });
        }
        Ok(counts)
    }

    pub(crate) fn plan(
        &mut self,
        prompts: &[String],
        entry: &str,
        git: Option<&Git>,
        status: Option<&Status>,
    ) -> Result<Plan, HistoryError> {
        match self.moment_of(prompts, entry) {
            Moment::Forgotten => Err(HistoryError::NoCheckpoint),
            Moment::Nothing => Ok(Plan::default()),
            Moment::At(moment) => self.world(git, status).plan(moment),
        }
    }

    /// How many files differed before a prompt, if its checkpoint has not all of them.
    pub(crate) fn crowd(&self, prompts: &[String], entry: &str) -> Option<usize> {
        match self.moment_of(prompts, entry) {
            Moment::At(moment) => self.timeline.moments[moment].crowd,
            Moment::Nothing | Moment::Forgotten => None,
        }
    }

    pub(crate) fn world<'a>(&'a mut self, git: Option<&'a Git>, status: Option<&Status>) -> World<'a> {
        let different = git.zip(status).map(|(git, status)| {
            status.paths.iter().filter_map(|path| absolute(git, path)).collect::<BTreeSet<String>>()
        });
        World {
            timeline: &self.timeline,
            git,
            different: different.unwrap_or_default(),
            looks: &mut self.looks,
            largest: self.largest,
            most_files: self.limits.files,
            trouble: &mut self.trouble,
            known: Remembered::default(),
        }
    }

    /// The moment before a prompt. One that changed nothing is as the next that did.
    fn moment_of(&self, prompts: &[String], wanted: &str) -> Moment {
        let from_then_on = prompts.iter().skip_while(|entry| *entry != wanted);
        for entry in from_then_on {
            if self.timeline.forgotten.contains(entry) {
                return Moment::Forgotten;
            }
            if let Some(moment) = self.timeline.prompt(entry) {
                return Moment::At(moment);
            }
        }
        Moment::Nothing
    }
}

/// Where a prompt is on the timeline.
#[derive(Clone, Copy)]
enum Moment {
    At(usize),
    /// Nothing changed from then on.
    Nothing,
    /// It is no longer kept.
    Forgotten,
}
