//! How a run is resumed, driven and saved.

use std::fmt::Debug;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use super::directory::{Directory, is_damage};
use super::facts::Facts;
use super::file::Opened;
use super::manifest::Entry;
use super::pace::Pace;
use super::writer::{Store, Writer};
use super::{CheckpointError, Checkpointed, Checkpoints, Damage};
use crate::engine::{Engine, Outcome, Run, RunError, RunOptions, Saved, Session};
use crate::graph::Graph;
use crate::program::VertexCompute;

/// A program and what it runs on.
pub(super) struct Task<'a, P: VertexCompute> {
    pub graph: &'a Graph<P::Edge>,
    pub program: &'a P,
    pub inputs: &'a [P::Input],
    pub options: &'a RunOptions,
}

/// The run in the checkpoint to resume from.
struct Restored<P: VertexCompute> {
    saved: Saved<P>,
    /// The checkpoint and the older ones.
    kept: Vec<Entry>,
    /// Why the newer one could not be used.
    skipped: Option<CheckpointError>,
}

impl<P: VertexCompute + Debug> Task<'_, P> {
    pub fn run<E: Engine>(
        &self,
        checkpoints: &Checkpoints,
        engine: &E,
    ) -> Result<Checkpointed<P>, CheckpointError> {
        let given = &checkpoints.options.facts;
        let facts = || Facts::of(given, self.graph, self.program, self.inputs, self.options);
        let (mut known, mut kept, mut skipped, mut from) = (None, Vec::new(), None, None);
        if let Some(source) = checkpoints.source() {
            let now = facts();
            let restored = self.restore(source, &now)?;
            known = Some(now.encode());
            (skipped, from) = (restored.skipped, Some(restored.saved));
            // A run that is saved in another folder starts without checkpoints there.
            kept = if checkpoints.from.is_none() { restored.kept } else { kept };
        } else if let Some(to) = &checkpoints.to {
            // An earlier run may have been saved here since the folder was opened.
            to.check_free()?;
        }
        let resumed_after = from.as_ref().map(|saved| saved.superstep);
        let mut session = engine.prepare::<P>(self.graph, self.options)?;
        let run = match &from {
            Some(saved) => session.resume(self.program, self.inputs, saved)?,
            None => session.start(self.program, self.inputs)?,
        };
        drop(from);
        let facts = || known.clone().unwrap_or_else(|| facts().encode());
        thread::scope(|scope| {
            let ahead = self.may_be_ahead();
            let store = |directory| Store { directory, kept, facts, ahead };
            let writer = checkpoints.to.as_ref().map(|to| Writer::start(scope, store(to)));
            let writer = writer.transpose()?;
            let pace = Pace::new(checkpoints.options.interval, resumed_after);
            let mut waited = Duration::ZERO;
            let outcome = drive(run, resumed_after, pace, writer.as_ref(), &mut waited);
            let start = Instant::now();
            let written = writer.map(Writer::finish).transpose();
            waited += start.elapsed();
            let (outcome, written) = (outcome?, written?.unwrap_or(0));
            Ok(Checkpointed { outcome, resumed_after, skipped, written, waited })
        })
    }

    /// Whether an engine may update states in place, so that they need not be those of any
    /// one superstep. No engine does so under a superstep limit.
    fn may_be_ahead(&self) -> bool {
        P::MONOTONE && self.options.max_supersteps.is_none()
    }

    /// The newest checkpoint that is not damaged.
    fn restore(&self, source: &Directory, now: &Facts) -> Result<Restored<P>, CheckpointError> {
        let entries = source.entries()?;
        let mut skipped = None;
        for (i, entry) in entries.iter().enumerate() {
            match self.read(source.place(entry), entry, now) {
                Ok(saved) => return Ok(Restored { saved, kept: entries[i..].to_vec(), skipped }),
                Err(error) if is_damage(&error) => {
                    skipped = Some(match skipped {
                        None => error,
                        Some(newer) => CheckpointError::AllDamaged {
                            newer: Box::new(newer),
                            older: Box::new(error),
                        },
                    });
                }
                Err(error) => return Err(error),
            }
        }
        Err(skipped.unwrap_or_else(|| CheckpointError::Empty { path: source.path().into() }))
    }

    fn read(&self, path: PathBuf, entry: &Entry, now: &Facts) -> Result<Saved<P>, CheckpointError> {
        let mut file = Opened::new(path, entry.length, entry.crc)?;
        let Some(facts) = Facts::decode(&file.facts()?) else {
            return file.failed(Damage::Facts);
        };
        let differences = facts.differences(now);
        if !differences.is_empty() {
            return Err(CheckpointError::OtherRun { path: file.path(), differences });
        }
        let saved = file.saved(self.graph.vertex_count())?;
        match self.options.max_supersteps {
            Some(_) if file.head.header.ahead => {
                Err(CheckpointError::Limited { path: file.path() })
            }
            Some(limit) if limit < saved.superstep => Err(CheckpointError::BeyondLimit {
                path: file.path(),
                superstep: saved.superstep,
                limit,
            }),
            _ => Ok(saved),
        }
    }
}

/// Advances the run to its end and hands copies of it to the writer. `superstep` is the last
/// one that ran. Adds the time that the run is held up to `waited`.
fn drive<P: VertexCompute, R: Run<P>>(
    mut run: R,
    mut superstep: Option<u32>,
    mut pace: Pace,
    writer: Option<&Writer<'_, P>>,
    waited: &mut Duration,
) -> Result<Outcome<P>, RunError> {
    loop {
        let at_most = writer.map_or(u32::MAX, |_| pace.at_most(superstep));
        let start = Instant::now();
        let progress = run.advance(at_most)?;
        pace.took(start.elapsed());
        if progress.has_ended() || writer.is_some_and(Writer::failed) {
            return run.finish();
        }
        superstep = progress.superstep;
        if let (Some(writer), Some(superstep)) = (writer, superstep)
            && pace.is_due(superstep)
        {
            let start = Instant::now();
            writer.write(run.save()?);
            *waited += start.elapsed();
        }
    }
}
