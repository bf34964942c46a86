//! Supersteps without the host: launches that stay for many of them.

use std::cell::Cell;
use std::time::Duration;

use super::device::{Array, Device, DeviceError};
use super::explain::{Course, Taken, Way, WhyNot};
use super::options::Choice;
use super::plan::Plan;
use super::planner::Planner;
use crate::device::{
    Control, Counts, PUSH_EDGES, RESIDENT_SUPERSTEPS, Worklist, any_will_do, stays_resident,
    updates_in_place,
};
use crate::engine::{RunOptions, Strategy, SuperstepReport};
use crate::graph::Graph;
use crate::program::{
    Context, Delivery, Edge, Facts, Monoid, Program, VertexCompute, VertexId, Zeroable,
};

/// Which launches may stay in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stays {
    /// Supersteps of small frontiers.
    pub(super) supersteps: bool,
    /// Rounds in place by priority, if the program has one.
    pub(super) rounds: bool,
}

impl Stays {
    /// What the program permits, and the user's options: an observer hears of
    /// each superstep before the next begins, and a strategy, a limit or one
    /// order of ties is a matter of plain supersteps.
    pub(super) fn of<P: VertexCompute>(
        strategy: Strategy,
        options: &RunOptions,
        choice: Choice,
    ) -> Self {
        Self {
            supersteps: not_supersteps::<P>(strategy, options, choice).is_none(),
            rounds: not_rounds::<P>(strategy, options, choice).is_none(),
        }
    }

    pub(super) fn any(self) -> bool {
        self.supersteps || self.rounds
    }

    /// Lists of vertices that are needed.
    fn lists<P: Program>(self) -> u64 {
        match (self.rounds, self.supersteps && !any_will_do::<P>()) {
            (false, false) => 0,
            _ => 2,
        }
    }

    /// Adds the memory of [`Resident`] to the plan.
    pub(super) fn plan<P: Program>(self, plan: &mut Plan, n: u64, m: u64) {
        if self.any() {
            plan.need::<[u32; 2]>("frontier of resident supersteps", room(n, m));
            plan.need::<u32>("lists of vertices", (1 + self.lists::<P>()) * n);
            plan.need::<u32>("vertices that wait", if self.rounds { n } else { 0 });
            plan.need::<Counts>("what happened in supersteps", RESIDENT_SUPERSTEPS.into());
        }
    }
}

/// Why no launch stays, whatever it is for.
fn not_any<P: Program>(strategy: Strategy, options: &RunOptions, choice: Choice) -> Option<WhyNot> {
    match () {
        () if choice == Choice::Never => Some(WhyNot::Off),
        () if !P::Combiner::COMBINES => Some(WhyNot::Listed),
        () if size_of::<<P::Aggregate as Monoid>::Value>() > 0 => Some(WhyNot::Aggregate),
        () if strategy != Strategy::Auto => Some(WhyNot::Strategy(strategy)),
        () if options.observer.is_some() => Some(WhyNot::Observer),
        () => None,
    }
}

/// Why no launch stays for supersteps; `None` if it may.
pub(super) fn not_supersteps<P: Program>(
    strategy: Strategy,
    options: &RunOptions,
    choice: Choice,
) -> Option<WhyNot> {
    let size = (!stays_resident::<P>()).then_some(WhyNot::MessageSize);
    not_any::<P>(strategy, options, choice).or(size)
}

/// Why no launch stays for rounds by priority; `None` if it may, as far as is known
/// without the program's parameters.
pub(super) fn not_rounds<P: Program>(
    strategy: Strategy,
    options: &RunOptions,
    choice: Choice,
) -> Option<WhyNot> {
    not_any::<P>(strategy, options, choice).or(match () {
        () if !P::MONOTONE => Some(WhyNot::NotMonotone),
        () if !updates_in_place::<P>() => Some(WhyNot::StateSize),
        () if options.deterministic => Some(WhyNot::Deterministic),
        () if options.max_supersteps.is_some() => Some(WhyNot::Limit),
        () => None,
    })
}

/// Pieces of rows of `n` vertices and `m` edges.
pub(super) fn room(n: u64, m: u64) -> u64 {
    n + m / u64::from(PUSH_EDGES) + 1
}

/// The lists of a resident kernel.
pub(super) struct Resident<D: Device> {
    pub(super) stays: Stays,
    items: Array<D, [u32; 2]>,
    vertices: [Array<D, u32>; 2],
    marks: Array<D, u32>,
    waiting: Array<D, u32>,
    control: Array<D, u32>,
    trace: Array<D, Counts>,
    /// Whether the marks are of this run.
    forgotten: Cell<bool>,
}

impl<D: Device> Resident<D> {
    pub(super) fn new<P: Program>(
        device: &D,
        stays: Stays,
        (n, m): (u64, u64),
    ) -> Result<Self, DeviceError> {
        let when = |needed: bool, len: u64| if needed { len } else { 0 };
        let list = || Array::new(device, when(stays.lists::<P>() > 0, n));
        Ok(Self {
            stays,
            items: Array::new(device, when(stays.any(), room(n, m)))?,
            vertices: [list()?, list()?],
            marks: Array::new(device, when(stays.any(), n))?,
            waiting: Array::new(device, when(stays.rounds, n))?,
            control: Array::new(device, when(stays.any(), Control::WORDS))?,
            trace: Array::new(device, when(stays.any(), RESIDENT_SUPERSTEPS.into()))?,
            forgotten: Cell::new(false),
        })
    }

    /// A run begins: what earlier ones marked does not count.
    pub(super) fn forget(&self) {
        self.forgotten.set(false);
    }

    /// What kernels are given; `items` is the list of the plain push.
    pub(super) fn worklist(&self, items: &Array<D, [u32; 2]>) -> Worklist {
        Worklist {
            items: [items.global(), self.items.global()],
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
    pub(super) fn begin(&self, device: &D) -> Result<(), DeviceError> {
        if !self.forgotten.replace(true) {
            self.marks.fill(device, 0)?;
            self.waiting.fill(device, 0)?;
        }
        self.control.fill(device, 0)?;
        self.trace.fill(device, 0)
    }

    /// Before a launch that goes on where another ended: no block has come to a
    /// barrier, nothing happened.
    pub(super) fn again(&self, device: &D) -> Result<(), DeviceError> {
        self.control.write(device, &[0])?;
        self.trace.fill(device, 0)
    }

    /// Waits, and tells the place of the first item of superstep 1.
    pub(super) fn first(&self, device: &D) -> Result<u32, DeviceError> {
        let [place, _] = self.items.get(device, 0)?;
        Ok(place)
    }

    /// Makes control, `words` so far, ready for rounds, the first of which is
    /// listed.
    pub(super) fn begin_rounds(
        &self,
        device: &D,
        mut words: Words,
        limit: u32,
    ) -> Result<(), DeviceError> {
        words.set(Control::Next, 0, 1);
        words.set(Control::Limit, 0, limit);
        words.set(Control::Nearest, 0, u32::MAX);
        words.set(Control::Nearest, 1, u32::MAX);
        self.control.write(device, &words.0)
    }

    /// Waits, and copies the words of control.
    pub(super) fn words(&self, device: &D) -> Result<Words, DeviceError> {
        Ok(Words(self.control.to_vec(device)?))
    }

    /// Waits, and tells what the launch left: the words of control, and what
    /// happened from superstep `first` on.
    pub(super) fn end(&self, device: &D, first: u32) -> Result<(Words, Vec<Counts>), DeviceError> {
        let words = self.words(device)?;
        let mut trace = self.trace.to_vec(device)?;
        trace.truncate((words.get(Control::Next, 0) - first) as usize);
        Ok((words, trace))
    }
}

/// The words of control, on the host.
pub(super) struct Words(Vec<u32>);

impl Words {
    pub(super) fn get(&self, word: Control, turn: u32) -> u32 {
        self.0[word.word(turn) as usize]
    }

    fn set(&mut self, word: Control, turn: u32, value: u32) {
        self.0[word.word(turn) as usize] = value;
    }
}

/// Notes supersteps, or rounds if there is no planner, that ran in one launch, with
/// the messages that each was sent.
pub(super) fn note(
    course: &mut Course,
    planner: Option<&Planner>,
    first: u32,
    trace: &[Counts],
    messages: impl Iterator<Item = u64>,
    time: Duration,
) {
    let together = trace.len() as u32;
    let time = time / together.max(1);
    let way = if planner.is_some() { Way::Resident } else { Way::Round };
    for ((superstep, counts), messages) in (first..).zip(trace).zip(messages) {
        let (active, strategy) = (counts.active, Strategy::Push);
        // There is no observer who could cancel.
        let step = SuperstepReport { superstep, active, messages, strategy, time };
        let predicted = planner.map(|planner| planner.predict(messages));
        let _ = course.step(step, Taken { way, together, predicted });
    }
}

/// Edges looked at for [`delta`].
const SAMPLE: u64 = 1 << 10;

/// The width of the near list, from how much the edges of the graph change
/// priorities when `sender` in state `sent` sends along them; `width` is
/// [`Costs::near_width`](super::Costs::near_width).
pub(super) fn delta<P: VertexCompute>(
    (program, graph, inputs): (&P, &Graph<P::Edge>, &[P::Input]),
    (sender, sent): (VertexId, &P::State),
    (wanted, width): (Option<f32>, f64),
) -> f32 {
    if let Some(wanted) = wanted.filter(|delta| *delta > 0.0) {
        return wanted;
    }
    let facts = |vertex: VertexId| Facts {
        vertex,
        // Rows by target may have to be made, which takes longer than the run;
        // for an estimate the other degree will do.
        in_degree: graph.out().degree(vertex).max(1),
        out_degree: graph.out().degree(vertex),
        vertex_count: graph.vertex_count(),
        superstep: 0,
        input: inputs.get(vertex as usize).copied().unwrap_or_else(Zeroable::zeroed),
    };
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    let from = program.priority(sent).unwrap_or(0.0);
    let signal = program.signal(sent, &Context::new(facts(sender), &last, &mut total));
    let (targets, values) = (graph.out().targets(), graph.out_values());
    let (mut sum, mut count) = (0f64, 0u32);
    for edge in (0..targets.len()).step_by((targets.len() as u64 / SAMPLE + 1) as usize) {
        let value = values.get(edge).copied().unwrap_or_else(Zeroable::zeroed);
        let Some(message) = program.edge_compute(&signal, Edge::new(value)) else { continue };
        let mut context = Context::new(facts(targets[edge]), &last, &mut total);
        let (mut state, _) = program.init(&mut context);
        let mut message = Some(message);
        let inbox = P::Combiner::inbox_of_one(&mut message);
        if program.vertex_compute(&mut state, inbox, &mut context).scatters() {
            let step = program.priority(&state).unwrap_or(from) - from;
            if step > 0.0 && step.is_finite() {
                (sum, count) = (sum + f64::from(step), count + 1);
            }
        }
    }
    let degree = targets.len() as f64 / f64::from(graph.vertex_count().max(1));
    let delta = (width * (sum / f64::from(count.max(1))) / degree.max(1.0).powi(2)) as f32;
    if delta > 0.0 { delta } else { 1.0 }
}
