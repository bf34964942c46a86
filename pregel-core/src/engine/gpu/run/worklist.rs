//! The lists of resident launches, and the conditions under which a run may have them.

use std::cell::Cell;

use crate::device::{
    Control, Counts, Global, Piece, RESIDENT_SUPERSTEPS, Worklist, any_will_do, stays_resident,
    updates_in_place,
};
use crate::engine::gpu::layout::{Shape, most_pieces};
use crate::engine::gpu::policy::{Choice, GpuOptions, WhyNot};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::engine::{RunOptions, Strategy};
use crate::program::{Delivery, Monoid, Program, VertexCompute};

/// Copies from the device when a launch ends: the control words and the trace.
pub(super) const COPIES: u64 = 2;

/// Which resident launches a run may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResidentModes {
    /// Supersteps with small frontiers.
    pub(super) supersteps: bool,
    /// Rounds by priority, if the program has priorities.
    pub(super) rounds: bool,
}

impl ResidentModes {
    /// What the program and the user's options permit.
    pub(super) fn of<P: VertexCompute>(
        strategy: Strategy,
        options: &RunOptions,
        layout: &GpuOptions,
    ) -> Self {
        Self {
            supersteps: why_no_supersteps::<P>(strategy, options, layout.resident).is_none(),
            rounds: why_no_rounds::<P>(strategy, options, layout.rounds()).is_none(),
        }
    }

    pub(super) fn any(self) -> bool {
        self.supersteps || self.rounds
    }
}

/// Why the run may have no resident launches of either kind.
fn why_none<P: Program>(
    strategy: Strategy,
    options: &RunOptions,
    choice: Choice,
) -> Option<WhyNot> {
    if choice == Choice::Never {
        Some(WhyNot::Off)
    } else if !P::Combiner::COMBINES {
        Some(WhyNot::Listed)
    } else if size_of::<<P::Aggregate as Monoid>::Value>() > 0 {
        Some(WhyNot::Aggregate)
    } else if strategy != Strategy::Auto {
        Some(WhyNot::Strategy(strategy))
    } else if options.observer.is_some() {
        Some(WhyNot::Observer)
    } else {
        None
    }
}

/// Why supersteps may not be resident; `None` if they may.
pub(super) fn why_no_supersteps<P: Program>(
    strategy: Strategy,
    options: &RunOptions,
    choice: Choice,
) -> Option<WhyNot> {
    let size = (!stays_resident::<P>()).then_some(WhyNot::MessageSize);
    why_none::<P>(strategy, options, choice).or(size)
}

/// Why the run may not have rounds by priority; `None` if it may, as far as is known
/// without the program's parameters.
pub(super) fn why_no_rounds<P: Program>(
    strategy: Strategy,
    options: &RunOptions,
    choice: Choice,
) -> Option<WhyNot> {
    why_none::<P>(strategy, options, choice).or_else(|| {
        if !P::MONOTONE {
            Some(WhyNot::NotMonotone)
        } else if !updates_in_place::<P>() {
            let fits = matches!(size_of::<P::State>(), 4 | 8);
            Some(if fits { WhyNot::MessageSize } else { WhyNot::StateSize })
        } else if options.deterministic {
            Some(WhyNot::Deterministic)
        } else if options.max_supersteps.is_some() {
            Some(WhyNot::Limit)
        } else {
            None
        }
    })
}

/// The lists that resident launches work through.
pub(super) struct Lists<D: Device> {
    items: Array<D, Piece>,
    vertices: [Array<D, u32>; 2],
    marks: Array<D, u32>,
    waiting: Array<D, u32>,
    control: Array<D, u32>,
    trace: Array<D, Counts>,
    /// Whether the marks were cleared in this run.
    marked: Cell<bool>,
}

impl<D: Device> Lists<D> {
    pub(super) fn room<P: Program>(
        arrays: &mut Arrays<D>,
        modes: ResidentModes,
        shape: Shape,
    ) -> Result<Self, DeviceError> {
        let n = shape.n();
        let listed = modes.rounds || modes.supersteps && !any_will_do::<P>();
        let mut list = || arrays.array("lists of vertices", if listed { n } else { 0 });
        let vertices = [list()?, list()?];
        let waiting = if modes.rounds { n } else { 0 };
        Ok(Self {
            items: arrays.array("frontier of resident supersteps", most_pieces(shape))?,
            vertices,
            marks: arrays.array("lists of vertices", n)?,
            waiting: arrays.array("vertices that wait", waiting)?,
            control: arrays.array("control words", Control::WORDS)?,
            trace: arrays.array("counts of resident supersteps", RESIDENT_SUPERSTEPS.into())?,
            marked: Cell::new(false),
        })
    }

    /// Begins a run: the marks of earlier runs must be cleared before they are read.
    pub(super) fn forget(&self) {
        self.marked.set(false);
    }

    /// The argument block's view of the lists; `even` is the list of the plain push, which is as
    /// long as the other.
    pub(super) fn global(&self, even: Global<Piece>) -> Worklist {
        Worklist {
            items: [even, self.items.global()],
            room: self.items.len(),
            vertices: [self.vertices[0].global(), self.vertices[1].global()],
            marks: self.marks.global(),
            waiting: self.waiting.global(),
            control: self.control.global(),
            trace: self.trace.global(),
            ..Worklist::default()
        }
    }

    /// Before a launch, queues clearing the control words and the trace, and the first time
    /// in a run also the marks.
    pub(super) fn begin(&self) -> Result<(), DeviceError> {
        if !self.marked.replace(true) {
            self.marks.fill(0)?;
            self.waiting.fill(0)?;
        }
        self.control.fill(0)?;
        self.trace.fill(0)
    }

    /// Before a launch that goes on where another ended, clears only the count of the grid
    /// barrier and the trace.
    pub(super) fn go_on(&self) -> Result<(), DeviceError> {
        self.control.write(&[0])?;
        self.trace.fill(0)
    }

    /// The list of pieces of rows that supersteps with an odd number read.
    pub(super) fn odd_items(&self) -> &Array<D, Piece> {
        &self.items
    }

    /// Waits, and copies which places wait: 1 for each that does.
    pub(super) fn waiting(&self) -> Result<Vec<u32>, DeviceError> {
        self.waiting.to_vec()
    }

    /// Waits, and copies the control words.
    pub(super) fn words(&self) -> Result<Words, DeviceError> {
        Ok(Words(self.control.to_vec()?))
    }

    /// Sets the control words.
    pub(super) fn set(&self, words: &Words) -> Result<(), DeviceError> {
        self.control.write(&words.0)
    }

    /// Waits for a launch that began with superstep `first`, and copies the control words
    /// and the counts of each superstep that ran.
    pub(super) fn end(&self, first: u32) -> Result<(Words, Vec<Counts>), DeviceError> {
        let words = self.words()?;
        let ran = words.get(Control::Next, 0).saturating_sub(first);
        let trace = self.trace.first(ran.into())?;
        Ok((words, trace))
    }
}

/// The control words, on the host.
pub(super) struct Words(Vec<u32>);

impl Words {
    pub(super) fn get(&self, word: Control, turn: u32) -> u32 {
        self.0[word.word(turn) as usize]
    }

    pub(super) fn set(&mut self, word: Control, turn: u32, value: u32) {
        self.0[word.word(turn) as usize] = value;
    }
}
