//! The lists of launches that stay on the device, and when such launches are allowed.

use std::cell::Cell;

use crate::device::{
    Control, Counts, Frontier, RESIDENT_SUPERSTEPS, Worklist, any_will_do, stays_resident,
    updates_in_place,
};
use crate::engine::gpu::layout::{Shape, most_pieces};
use crate::engine::gpu::policy::{Choice, WhyNot};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::engine::{RunOptions, Strategy};
use crate::program::{Delivery, Monoid, Program, VertexCompute};

/// Copies from the device when a launch ends: control, and what happened.
pub(super) const COPIES: u64 = 2;

/// Which launches may stay on the device in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResidentModes {
    /// Supersteps of small frontiers.
    pub(super) supersteps: bool,
    /// Rounds in place by priority, if the program has one.
    pub(super) rounds: bool,
}

impl ResidentModes {
    /// What the program permits, and the user's options: an observer hears of
    /// each superstep before the next begins, and a strategy, a limit or one
    /// order of ties is a matter of plain supersteps.
    pub(super) fn of<P: VertexCompute>(
        strategy: Strategy,
        options: &RunOptions,
        choice: Choice,
    ) -> Self {
        Self {
            supersteps: why_no_supersteps::<P>(strategy, options, choice).is_none(),
            rounds: why_no_rounds::<P>(strategy, options, choice).is_none(),
        }
    }

    pub(super) fn any(self) -> bool {
        self.supersteps || self.rounds
    }
}

/// Why no launch stays on the device, whatever it is for.
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

/// Why no launch stays for supersteps; `None` if it may.
pub(super) fn why_no_supersteps<P: Program>(
    strategy: Strategy,
    options: &RunOptions,
    choice: Choice,
) -> Option<WhyNot> {
    let size = (!stays_resident::<P>()).then_some(WhyNot::MessageSize);
    why_none::<P>(strategy, options, choice).or(size)
}

/// Why no launch stays for rounds by priority; `None` if it may, as far as is known
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
            Some(WhyNot::StateSize)
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
    items: Array<D, [u32; 2]>,
    vertices: [Array<D, u32>; 2],
    marks: Array<D, u32>,
    waiting: Array<D, u32>,
    control: Array<D, u32>,
    trace: Array<D, Counts>,
    /// Whether the marks are of this run.
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
            control: arrays.array("words of control", Control::WORDS)?,
            trace: arrays.array("what happened in supersteps", RESIDENT_SUPERSTEPS.into())?,
            marked: Cell::new(false),
        })
    }

    /// A run begins: what earlier ones marked does not count.
    pub(super) fn forget(&self) {
        self.marked.set(false);
    }

    /// What kernels are given; `frontier` is the list of the plain push.
    pub(super) fn global(&self, frontier: Frontier) -> Worklist {
        Worklist {
            items: [frontier.items, self.items.global()],
            vertices: [self.vertices[0].global(), self.vertices[1].global()],
            marks: self.marks.global(),
            waiting: self.waiting.global(),
            control: self.control.global(),
            trace: self.trace.global(),
            ..Worklist::default()
        }
    }

    /// Before a launch: queues setting all words of control to 0, and what
    /// happened to nothing; the first time in a run all marks too.
    pub(super) fn begin(&self) -> Result<(), DeviceError> {
        if !self.marked.replace(true) {
            self.marks.fill(0)?;
            self.waiting.fill(0)?;
        }
        self.control.fill(0)?;
        self.trace.fill(0)
    }

    /// Before a launch that goes on where another ended: no block has come to a
    /// barrier, nothing happened.
    pub(super) fn go_on(&self) -> Result<(), DeviceError> {
        self.control.write(&[0])?;
        self.trace.fill(0)
    }

    /// Waits, and tells the place of the first item of superstep 1.
    pub(super) fn first(&self) -> Result<u32, DeviceError> {
        let [place, _] = self.items.get(0)?;
        Ok(place)
    }

    /// Waits, and copies the words of control.
    pub(super) fn words(&self) -> Result<Words, DeviceError> {
        Ok(Words(self.control.to_vec()?))
    }

    /// Sets the words of control.
    pub(super) fn set(&self, words: &Words) -> Result<(), DeviceError> {
        self.control.write(&words.0)
    }

    /// Waits, and tells what the launch left: the words of control, and what
    /// happened from superstep `first` on.
    pub(super) fn end(&self, first: u32) -> Result<(Words, Vec<Counts>), DeviceError> {
        let words = self.words()?;
        let mut trace = self.trace.to_vec()?;
        trace.truncate(words.get(Control::Next, 0).saturating_sub(first) as usize);
        Ok((words, trace))
    }
}

/// The words of control, on the host.
pub(super) struct Words(Vec<u32>);

impl Words {
    pub(super) fn get(&self, word: Control, turn: u32) -> u32 {
        self.0[word.word(turn) as usize]
    }

    pub(super) fn set(&mut self, word: Control, turn: u32, value: u32) {
        self.0[word.word(turn) as usize] = value;
    }
}
