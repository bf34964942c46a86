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
use crate::engine::{Engine, Run, RunError, RunOptions, Saved, Session};
use crate::graph::Graph;
use crate::program::VertexCompute;

/// A program and what it runs on.
pub(super) struct Task<'a, P: VertexCompute> {
    pub graph: &'a Graph<P::Edge>,
    pub program: &'a P,
    pub inputs: &'a [P::Input],
    pub options: &'a RunOptions,
}

/// How a run begins.
struct Beginning<P: VertexCompute> {
    /// The run to resume; `None` for a new run.
    from: Option<Saved<P>>,
    /// The checkpoints to keep until there are newer ones.
    kept: Vec<Entry>,
    /// Why the newest checkpoint could not be used.
    skipped: Option<CheckpointError>,
    /// The facts as text, if they were needed.
    facts: Option<String>,
}

impl<P: VertexCompute + Debug> Task<'_, P> {
    pub fn run<E: Engine>(
        &self,
        checkpoints: &Checkpoints,
        engine: &E,
        started: impl FnOnce(Option<u32>, Option<&CheckpointError>),
    ) -> Result<Checkpointed<P>, CheckpointError> {
        let Beginning { from, kept, skipped, facts } = self.beginning(checkpoints)?;
        let resumed_after = from.as_ref().map(|saved| saved.superstep);
        let mut session = engine.prepare::<P>(self.graph, self.options)?;
        let mut run = session.begin(self.program, self.inputs.into(), from.as_ref())?;
        drop(from);
        started(resumed_after, skipped.as_ref());
        let pace = Pace::new(checkpoints.options.interval, resumed_after);
        let (written, waited) = thread::scope(|scope| {
            let facts = || facts.clone().unwrap_or_else(|| self.facts(checkpoints).encode());
            let ahead = self.may_be_ahead();
            let store = |directory| Store { directory, kept, facts, ahead };
            let writer = checkpoints.to.as_ref().map(|to| Writer::start(scope, store(to)));
            let writer = writer.transpose()?;
            let driven = drive(&mut run, resumed_after, pace, writer.as_ref());
            let start = Instant::now();
            // Without checkpoints to go back to, it matters less how the run ended.
            let written = writer.map_or(Ok(0), Writer::finish)?;
            Ok::<_, CheckpointError>((written, driven? + start.elapsed()))
        })?;
        let outcome = run.finish()?;
        Ok(Checkpointed { outcome, resumed_after, skipped, written, waited })
    }

    fn facts(&self, checkpoints: &Checkpoints) -> Facts {
        let given = &checkpoints.options.facts;
        Facts::of(given, self.graph, self.program, self.inputs, self.options)
    }

    fn beginning(&self, checkpoints: &Checkpoints) -> Result<Beginning<P>, CheckpointError> {
        let Some(source) = checkpoints.source() else {
            if let Some(to) = &checkpoints.to {
                // An earlier run may have been saved here since the folder was opened.
                to.check_free()?;
            }
            return Ok(Beginning { from: None, kept: Vec::new(), skipped: None, facts: None });
        };
        let facts = self.facts(checkpoints);
        let mut beginning = self.restore(source, &facts)?;
        beginning.facts = Some(facts.encode());
        if checkpoints.from.is_some() {
            // The run is saved in another folder, which has no checkpoints yet.
            beginning.kept.clear();
        }
        Ok(beginning)
    }

    /// Whether an engine may update states in place, so that they need not be those of any
    /// one superstep. No engine does so under a superstep limit.
    fn may_be_ahead(&self) -> bool {
        P::MONOTONE && self.options.max_supersteps.is_none()
    }

    /// The newest checkpoint that is not damaged.
    fn restore(&self, source: &Directory, now: &Facts) -> Result<Beginning<P>, CheckpointError> {
        let entries = source.entries()?;
        let mut skipped = None;
        for (i, entry) in entries.iter().enumerate() {
            match self.read(source.path_of(entry), entry, now) {
                Ok(saved) => {
                    let (from, kept) = (Some(saved), entries[i..].to_vec());
                    return Ok(Beginning { from, kept, skipped, facts: None });
                }
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
            return file.damaged(Damage::Facts);
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

/// Advances the run until it ends or cannot be saved, and hands copies of it to the writer.
/// `superstep` is the last one that ran. Returns how long the run was held up.
fn drive<P: VertexCompute>(
    run: &mut impl Run<P>,
    mut superstep: Option<u32>,
    mut pace: Pace,
    writer: Option<&Writer<'_, P>>,
) -> Result<Duration, RunError> {
    let mut waited = Duration::ZERO;
    loop {
        let at_most = writer.map_or(u32::MAX, |_| pace.at_most(superstep));
        let start = Instant::now();
        let progress = run.advance(at_most)?;
        pace.took(start.elapsed());
        if progress.has_ended() || writer.is_some_and(Writer::failed) {
            return Ok(waited);
        }
        superstep = progress.superstep;
        if let (Some(writer), Some(superstep)) = (writer, superstep)
            && pace.is_due(superstep)
        {
            let start = Instant::now();
            writer.write(run)?;
            waited += start.elapsed();
        }
    }
}
