//! Before a brief: what is remembered that matters for it, within its budget.

use ralph_core::attempt::Attempt;
use ralph_core::event::Event;
use ralph_core::recollection::{Recalled, Recollection};
use ralph_memory::{
    Allowance, Holdout, Hydration, Need, contradictions, disputed, fenced, hydrate, instruction, mentions,
    rot, tokens,
};
use ralph_store::Store;

use super::survey::elsewhere;
use super::{failing, unknown, words_of};
use crate::drive::Drive;
use crate::error::EngineError;

/// What the code at hand may take up of a brief, where there is room.
pub(super) const CODE: u32 = 1_500;
/// More than one look at what has changed brings nothing new.
pub(super) const LOOKS: usize = 2;

/// What a brief is given, and what is journalled of it.
pub(crate) struct Recollected {
    pub(crate) recollection: Recollection,
    pub(crate) recalled: Recalled,
    /// Stands in every fence, so that a brief which has none of it can be told.
    pub(crate) nonce: String,
}

impl<S: Store + 'static> Drive<S> {
    /// None where a person is asked first, and the run's step says so.
    pub(crate) async fn recollect(&mut self, attempt: &Attempt) -> Result<Option<Recollected>, EngineError> {
        let nonce = nonce(self.run.seed, attempt, b"fence");
        // Not the same: by the other one it is told whether a brief has anything of the memory.
        let quoting = self::nonce(self.run.seed, attempt, b"quoting");
        let constitution = self.constitution().await?;
        let Some(memory) = &self.parts.memory else {
            let recollection = Recollection { constitution, nonce: quoting, ..Recollection::default() };
            return Ok(Some(Recollected { recollection, recalled: Recalled::default(), nonce }));
        };
        let mut allowance = memory.allowance;
        self.mind_head(attempt);
        let conflicts = self.conflicts(&nonce).await;
        let spent = tokens(&constitution) + tokens(&conflicts);
        allowance.tokens = allowance.tokens.saturating_sub(spent);
        let findings = self.findings(attempt).await?;
        let text = words_of(&self.run.task, &findings);
        let surveyed = self.survey_ground(mentions(&text), self.changed_so_far()).await?;
        let need = Need {
            task: self.remembered_task(),
            text: text.clone(),
            files: surveyed.files.clone(),
            symbols: surveyed.symbols,
            near: surveyed.near,
            meaning: self.meaning(&text).await,
            run: Some(self.run.id.clone()),
            current: surveyed.current,
        };
        let hydration = self.hydrated(need, &allowance, attempt).await?;
        let notes = hydration.taken.iter().map(|taken| taken.note.clone()).collect();
        let sufficiency = self.suffices(&text, &surveyed.known, notes, self.now().at).await?;
        if self.is_to_be_asked(attempt, &sufficiency) {
            let question = sufficiency.questions.join("\n");
            let (attended, now) = (self.parts.attended, self.now());
            self.run.wonder(attempt, question, attended, now);
            if self.run.step != ralph_core::run::Step::Think(attempt.clone()) {
                return Ok(None);
            }
        }
        let room = allowance.tokens.saturating_sub(hydration.tokens).min(CODE);
        let code = self.scope(surveyed.files, room as usize).await?;
        let worded = hydration.worded(&nonce);
        let memory =
            [worded.memory, conflicts].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let recollection = Recollection {
            constitution,
            memory: memory.join("\n\n"),
            gotchas: worded.gotchas,
            symbols: if code.is_empty() { code } else { fenced("code", &code, &nonce) },
            unknown: unknown::worded(&sufficiency),
            writing: instruction().to_owned(),
            nonce: quoting,
        };
        Ok(Some(Recollected { recollection, recalled: recalled(&hydration), nonce }))
    }

    /// Notes about code that is not what it was become hypotheses first, wherever that code is.
    async fn hydrated(
        &mut self,
        mut need: Need,
        allowance: &Allowance,
        attempt: &Attempt,
    ) -> Result<Hydration, EngineError> {
        let share = self.parts.memory.as_ref().map_or(0.0, |memory| memory.holdout);
        let mut hydration = Hydration::default();
        for _ in 0..LOOKS {
            let now = self.now().at;
            let rotten = rot(&**self.notes(), &need.current, now).await;
            self.forgetful(rotten);
            let holdout = (share > 0.0).then(|| Holdout { share, entropy: entropy(self.run.seed, attempt) });
            let hydrated = hydrate(&self.shelves(), &need, allowance, holdout, now).await;
            let Some(hydrated) = self.forgetful(hydrated) else { break };
            hydration = hydrated;
            let elsewhere = elsewhere(&hydration, &need.current);
            if elsewhere.is_empty() {
                break;
            }
            need.current.extend(self.as_they_are(elsewhere).await?);
        }
        Ok(hydration)
    }

    /// What the last attempt was found to lack; before the first one, what fails already.
    async fn findings(&mut self, attempt: &Attempt) -> Result<Vec<String>, EngineError> {
        match self.run.tried.last() {
            Some(tried) => Ok(tried.findings.clone()),
            None => Ok(failing(&self.checked_before(attempt).await?)),
        }
    }

    /// What earlier iterations on this task have changed.
    fn changed_so_far(&self) -> Vec<String> {
        let mut files: Vec<String> = self
            .run
            .progress
            .approaches()
            .iter()
            .flat_map(|approach| approach.sketch.files.clone())
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// What the task has put down against what the project knows.
    async fn conflicts(&mut self, nonce: &str) -> String {
        let found = contradictions(&**self.notes(), &self.remembered_task()).await;
        disputed(&self.forgetful(found).unwrap_or_default(), nonce)
    }

    /// The brief is worded: what it has of the memory is journalled. A template may have left it all out.
    pub(crate) fn recalled(&mut self, attempt: &Attempt, recollected: Recollected, brief: &str) {
        let Recollected { mut recalled, nonce, .. } = recollected;
        let is_told = brief.contains(&nonce);
        recalled.notes.retain(|note| brief.contains(note.as_str()));
        self.run.recalled = if is_told { recalled } else { Recalled::default() };
        if !self.run.recalled.is_empty() {
            let recalled = self.run.recalled.clone();
            let (iteration, attempt) = (attempt.iteration, attempt.number);
            self.run.note(self.now().at, Event::Recalled { iteration, attempt, recalled });
        }
    }
}

fn recalled(hydration: &Hydration) -> Recalled {
    Recalled {
        notes: hydration.notes(),
        withheld: hydration.withheld.clone(),
        left_out: u32::try_from(hydration.left_out.len()).unwrap_or(u32::MAX),
        tokens: hydration.tokens,
    }
}

/// Another one for each attempt and purpose, and the same whenever that attempt is thought over again.
pub(super) fn nonce(seed: u64, attempt: &Attempt, purpose: &[u8]) -> String {
    format!("{:016x}", hashed(seed, attempt, purpose))[..12].to_owned()
}

fn entropy(seed: u64, attempt: &Attempt) -> u64 {
    hashed(seed, attempt, b"holdout")
}

fn hashed(seed: u64, attempt: &Attempt, what: &[u8]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes()).update(&attempt.iteration.to_le_bytes());
    hasher.update(&attempt.number.to_le_bytes()).update(what);
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
