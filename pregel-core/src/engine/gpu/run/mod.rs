//! Runs: a session on the device, superstep by superstep.
//!
//! One object for each strategy owns its memory, its argument block and its launches:
//! [`pull`] (with [`bins`]), [`push`], [`mailbox`], [`medusa`], and the launches that
//! stay on the device, [`resident`] and [`rounds`], which share [`worklist`]. All run on
//! [`core`], the vertices. The session goes round a short loop: [`choose`], run,
//! [`account`](course::Course::account).
//!
//! A new strategy is a file here that implements [`Hosted`] or joins [`choose::Next`],
//! its kernels, its argument block in `device/superstep/`, and their rows in
//! `device/kernels.rs`.

mod batch;
mod bins;
mod choose;
mod core;
mod course;
mod mailbox;
mod medusa;
mod partials;
mod pull;
mod push;
mod report;
mod resident;
mod rounds;
mod totals;
mod worklist;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use report::DeviceReport;

use self::core::{Core, CoreMemory};
use super::Gpu;
use super::layout::{self, Chunked, Layouts, Parts, Shape, shape_of};
use super::policy::{BufferLayout, Costs, GpuOptions, Planner, Way};
use super::runtime::{Arrays, Device, DeviceError};
use crate::device::kernels::Set;
use crate::device::{Aggregated, Batched, Counts, Run};
use crate::engine::{
    Outcome, RunError, RunOptions, Session, StopReason, Strategy, check_edges, check_run,
};
use crate::graph::Graph;
use crate::program::{Monoid, VertexCompute};
use choose::Next;
use course::{Course, Done};
use mailbox::Mailbox;
use medusa::Medusa;
use partials::Partials;
use pull::Pull;
use push::{Meeting, Push};
use worklist::{Lists, ResidentModes};

/// A strategy whose supersteps the host begins one at a time, whatever the frontier.
trait Hosted<D: Device, P: VertexCompute> {
    /// The kernels that it launches.
    fn sets(&self) -> &'static [Set];
    /// Queues a superstep and sets how many partial results it leaves; the way that it
    /// takes.
    fn queue(&self, core: &Core<D, P>, run: &mut Run<P>) -> Result<Way, DeviceError>;
}

/// The strategies of a session.
struct Strategies<D: Device, P: VertexCompute> {
    pull: Option<Pull<D, P>>,
    push: Option<Push<D, P>>,
    /// One that keeps every message.
    buffered: Option<Box<dyn Hosted<D, P>>>,
    /// The lists of launches that stay on the device.
    lists: Option<Lists<D>>,
}

/// A graph on a device, ready for programs of type `P`.
pub struct GpuSession<'g, D: Device, P: VertexCompute> {
    graph: &'g Graph<P::Edge>,
    options: RunOptions,
    strategy: Strategy,
    modes: ResidentModes,
    planner: Planner,
    core: Core<D, P>,
    strategies: Strategies<D, P>,
    report: DeviceReport,
    prepare_time: Duration,
    /// Whether a push is likely, so that its kernels are loaded before a run.
    likely_to_push: bool,
    /// Kernels launched in the last run to prepare something.
    aside: u64,
    /// Whether the last run ended in an error, and may have left something behind.
    failed: bool,
}

/// The strategy of a run, as far as it follows from the program and the options.
///
/// # Errors
/// [`RunError::Unsupported`] when they contradict each other.
fn strategy_for<P: VertexCompute>(
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<Strategy, RunError> {
    let strategy = options.strategy_for::<P>()?;
    if layout.buffer == BufferLayout::Columns {
        return Ok(strategy);
    }
    match options.strategy {
        Strategy::Auto | Strategy::Mailbox => Ok(Strategy::Mailbox),
        _ => Err(RunError::Unsupported(
            "this layout is of a message buffer: use the strategy mailbox or auto with it",
        )),
    }
}

/// Plans the memory of a run whose columns have `slots` slots.
fn plan<D: Device, P: VertexCompute>(
    shape: Shape,
    parts: &Parts,
    modes: ResidentModes,
    slots: u64,
) -> Result<Arrays<D>, DeviceError> {
    let mut planned = Arrays::planned();
    let arrays = &mut planned;
    layout::plan::<D, P::Edge>(arrays, shape, parts, slots)?;
    let chunks = if parts.medusa { 0 } else { Chunked::<D>::at_most(slots) };
    CoreMemory::<D, P>::room(arrays, shape, chunks)?;
    Partials::<D, P>::room(arrays, chunks)?;
    if parts.push {
        Meeting::<D, P>::room(arrays, shape)?;
    }
    if modes.any() {
        Lists::<D>::room::<P>(arrays, modes, shape)?;
    }
    if parts.mailbox {
        Mailbox::<D, P>::plan(arrays, slots)?;
    }
    if parts.medusa {
        Medusa::<D, P>::plan(arrays, shape, slots)?;
    }
    Ok(planned)
}

/// Checks all that can be known before anything is copied.
pub(super) fn check<D: Device, P: VertexCompute>(
    device: &D,
    graph: &Graph<P::Edge>,
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<(), RunError> {
    let strategy = strategy_for::<P>(options, layout)?;
    if !layout.group.is_power_of_two() || layout.group > 1 << 16 {
        return Err(RunError::Unsupported("groups must be of 1, 2, 4, … or 65,536 vertices"));
    }
    let (shape, parts) = (shape_of::<P>(graph), Parts::of::<P>(graph, strategy, options, layout));
    if (parts.mailbox || parts.medusa) && shape.edges > u32::MAX.into() {
        return Err(RunError::Unsupported(
            "a message buffer of more than 4,294,967,295 messages: use pull or push",
        ));
    }
    let modes = ResidentModes::of::<P>(strategy, options, layout.resident);
    plan::<D, P>(shape, &parts, modes, shape.edges)?.check(device)
}

impl<'g, D: Device, P: VertexCompute> GpuSession<'g, D, P> {
    pub(super) fn new(
        engine: &Gpu<D>,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self, RunError> {
        let start = Instant::now();
        let Gpu { device, images, library, options: layout } = engine;
        let (name, image) = images.find::<P>()?;
        check_edges::<P>(graph)?;
        check::<D, P>(device, graph, options, layout)?;
        let strategy = strategy_for::<P>(options, layout)?;
        let (shape, parts) =
            (shape_of::<P>(graph), Parts::of::<P>(graph, strategy, options, layout));
        let modes = ResidentModes::of::<P>(strategy, options, layout.resident);
        let costs = layout.costs.unwrap_or_else(|| Costs::of(device.capability()));

        let loading = Instant::now();
        let tools = engine.tools()?;
        let kernels = library.kernels::<P>(device, name, image);
        tools.load(&parts.sets())?;
        let load_time = loading.elapsed();

        let prepared = layout::prepare::<D, P>(&tools, graph, &parts)?;
        let groups = prepared.layout.groups();
        let slots = groups.map_or(0, |groups| groups.slots);
        let laid_out = report::layout(&parts, groups);
        let joiners = groups.map_or(0, |groups| groups.chunks.joiners().into());
        let memory = CoreMemory::room(&mut Arrays::on(device), shape, joiners)?;
        let deterministic = options.deterministic;
        let core = Core { tools, kernels, placed: prepared.placed, memory, deterministic };
        let strategies = Strategies::new(&core, prepared.layout, modes, layout, &costs)?;
        device.wait()?;

        let planner = Planner::new(costs, shape, layout.resident, options.delta.is_some());
        let needs = plan::<D, P>(shape, &parts, modes, slots.max(shape.edges))?.into_needs();
        let explanation = report::explain::<D, P>(
            &report::Chosen { strategy, options, layout, planner: &planner, shape },
            laid_out,
            strategies.pull.as_ref(),
        );
        let report = DeviceReport {
            name: device.name(),
            ordinal: device.ordinal(),
            load_time,
            upload_time: prepared.upload_time,
            preprocess_time: prepared.preprocess_time,
            download_time: Duration::ZERO,
            memory: needs,
            slots,
            launches: 0,
            copies: 0,
            explanation: Some(explanation),
        };
        Ok(Self {
            graph,
            options: options.clone(),
            strategy,
            modes,
            planner,
            core,
            strategies,
            report,
            prepare_time: start.elapsed(),
            likely_to_push: parts.likely_to_push,
            aside: 0,
            failed: false,
        })
    }

    /// Makes a run ready: checks it, loads its kernels, copies the inputs.
    fn begin<'a>(
        &mut self,
        program: &'a P,
        inputs: &'a [P::Input],
    ) -> Result<Course<'a, P>, RunError> {
        check_run(self.graph, program, inputs)?;
        let mut course = Course::new(self.core.start(program), program, inputs, &self.options);
        // What stays on the device has no aggregate, so that `converged` always says the
        // same; if it says yes, the run ends after superstep 1.
        let never_converges = !program.converged(&P::Aggregate::identity());
        course.by_priority =
            never_converges && self.modes.rounds && self.planner.rounds() && course.has_priority;
        course.streak_threshold =
            if never_converges { self.planner.streak_threshold() } else { u32::MAX };
        self.load(&self.sets(course.by_priority))?;
        self.core.take_inputs(inputs)?;
        self.aside = 0;
        if std::mem::replace(&mut self.failed, true)
            && let Some(push) = &self.strategies.push
        {
            push.reset()?;
        }
        if let Some(lists) = &self.strategies.lists {
            lists.forget();
        }
        if let Some(pull) = &self.strategies.pull {
            pull.bins.forget()?;
        }
        Ok(course)
    }

    /// The kernels of the program that a run is likely to launch.
    fn sets(&self, by_priority: bool) -> Vec<Set> {
        let Strategies { pull, push, buffered, .. } = &self.strategies;
        let mut sets = vec![Set::Init];
        if size_of::<Aggregated<P>>() > 0 {
            sets.push(Set::Aggregate);
        }
        if by_priority {
            sets.push(rounds::SET);
            return sets;
        }
        sets.extend(pull.iter().flat_map(Pull::sets));
        sets.extend(buffered.iter().flat_map(|buffered| buffered.sets()));
        if push.is_some() && self.likely_to_push {
            sets.push(push::SET);
        }
        if self.modes.supersteps {
            sets.push(resident::SET);
        }
        sets
    }

    /// Loads kernels of the program.
    fn load(&mut self, sets: &[Set]) -> Result<(), DeviceError> {
        let loading = Instant::now();
        self.core.kernels.load(sets)?;
        self.report.load_time += loading.elapsed();
        Ok(())
    }

    /// Runs what was chosen; what it came to.
    fn execute(&mut self, next: Next, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        match next {
            Next::Init => self.init(course),
            Next::Single(Strategy::Push) => self.push(course),
            Next::Single(strategy) => self.single(course, strategy),
            Next::Batch(queued) => self.batch(course, queued),
            Next::Resident => self.resident(course),
            Next::Rounds => self.rounds(course),
        }
    }

    fn init(&mut self, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        let start = Instant::now();
        self.core.memory.totals.clear()?;
        self.core.init(&mut course.run)?;
        let ended = self.core.end(&course.run)?;
        Ok(Done::hosted(Strategy::Pull, Way::Init, vec![ended], start.elapsed()))
    }

    fn single(
        &mut self,
        course: &mut Course<'_, P>,
        strategy: Strategy,
    ) -> Result<Done<P>, RunError> {
        let (core, start) = (&self.core, Instant::now());
        core.turn(&mut course.run, course.superstep, &course.counts);
        core.memory.totals.clear()?;
        let way = match (&self.strategies.pull, &self.strategies.buffered) {
            (Some(pull), _) => pull.queue(core, &mut course.run, Batched::ALONE)?,
            (None, Some(buffered)) => buffered.queue(core, &mut course.run)?,
            (None, None) => return Err(missing("a strategy")),
        };
        let ended = core.end(&course.run)?;
        Ok(Done::hosted(strategy, way, vec![ended], start.elapsed()))
    }

    fn push(&mut self, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        self.lay_out(&[push::SET])?;
        let (core, start) = (&self.core, Instant::now());
        let push = self.strategies.push.as_ref().ok_or_else(|| missing("rows to push along"))?;
        core.turn(&mut course.run, course.superstep, &course.counts);
        core.memory.totals.clear()?;
        push.queue(core, &mut course.run)?;
        let ended = core.end(&course.run)?;
        Ok(Done::hosted(Strategy::Push, Way::Push, vec![ended], start.elapsed()))
    }

    fn batch(&mut self, course: &mut Course<'_, P>, queued: u32) -> Result<Done<P>, RunError> {
        if queued > 1 {
            self.cut(course.superstep)?;
        }
        let start = Instant::now();
        let pull = self.strategies.pull.as_mut().ok_or_else(|| missing("columns to pull from"))?;
        let (superstep, before) = (course.superstep, course.counts);
        let (ended, way) =
            batch::run(&self.core, pull, &mut course.run, superstep, &before, queued)?;
        let done = Done::hosted(Strategy::Pull, way, ended, start.elapsed());
        if queued > 1 {
            pull.bins.learn(done.steps.len() as u32, done.each());
        }
        Ok(done)
    }

    fn resident(&mut self, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        self.lay_out(&[resident::SET])?;
        let (push, lists) = self.strategies.lists()?;
        let start = Instant::now();
        self.core.turn(&mut course.run, course.superstep, &course.counts);
        let most = self.left(course.superstep).unwrap_or(u32::MAX);
        let trace = resident::run(&self.core, push, lists, &self.planner, &course.run, most)?;
        Ok(Done::resident(Way::Resident, trace, start.elapsed(), worklist::COPIES))
    }

    fn rounds(&mut self, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        self.lay_out(&[rounds::SET])?;
        let (push, lists) = self.strategies.lists()?;
        self.core.turn(&mut course.run, 1, &Counts::default());
        let (program, inputs, delta) = (course.program, course.inputs, self.options.delta);
        let given = rounds::Given { program, graph: self.graph, inputs, delta };
        let rounds = rounds::run(&self.core, push, lists, &self.planner, &course.run, &given)?;
        course.delta = rounds.delta;
        course.copies += rounds.copies;
        for (trace, time) in rounds.launches {
            // Only an observer could stop the run here, and there is none.
            self.account(course, Done::resident(Way::Round, trace, time, 0));
        }
        Ok(Done::nothing(StopReason::Halted))
    }

    /// Prepares the first push: loads its kernels and lays the rows out.
    fn lay_out(&mut self, sets: &[Set]) -> Result<(), RunError> {
        if self.strategies.push.as_ref().is_some_and(Push::is_laid_out) {
            return Ok(());
        }
        let loading = Instant::now();
        self.core.tools.load(push::TOOLS)?;
        self.core.kernels.load(sets)?;
        self.report.load_time += loading.elapsed();
        let (start, launches) = (Instant::now(), self.core.tools.launches());
        if let Some(push) = &mut self.strategies.push {
            push.lay_out(&self.core)?;
        }
        self.core.tools.device().wait()?;
        self.prepared_since(start, launches);
        Ok(())
    }

    /// Cuts the graph into bins, once, if that pays for a batch that begins with this
    /// superstep.
    fn cut(&mut self, superstep: u32) -> Result<(), RunError> {
        let left = self.left(superstep);
        let Some(pull) = &mut self.strategies.pull else { return Ok(()) };
        if !pull.bins.is_due(left, self.planner.costs()) {
            return Ok(());
        }
        let loading = Instant::now();
        self.core.tools.load(&[Set::Bins, Set::Sums])?;
        self.core.kernels.load(&[pull.bins.set()])?;
        self.report.load_time += loading.elapsed();
        let (start, launches) = (Instant::now(), self.core.tools.launches());
        pull.cut(&self.core)?;
        self.prepared_since(start, launches);
        Ok(())
    }

    /// Counts what was prepared during a run, from this time and number of launches
    /// on, as preparation.
    fn prepared_since(&mut self, start: Instant, launches: u64) {
        self.aside += self.core.tools.launches() - launches;
        self.report.preprocess_time += start.elapsed();
        self.prepare_time += start.elapsed();
    }

    /// Supersteps before the limit, this one included.
    fn left(&self, superstep: u32) -> Option<u32> {
        self.options.max_supersteps.map(|most| most - superstep + 1)
    }
}

impl<D: Device, P: VertexCompute> Strategies<D, P> {
    /// What this layout is for.
    fn new(
        core: &Core<D, P>,
        layout: Layouts<D, P::Edge>,
        modes: ResidentModes,
        options: &GpuOptions,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let mut of = Self { pull: None, push: None, buffered: None, lists: None };
        match layout {
            Layouts::Edges { senders, rows } => {
                let pull = senders.map(|senders| Pull::new(core, senders, options, costs));
                of.pull = pull.transpose()?;
                of.push = rows.map(|rows| Push::new(core, rows, costs)).transpose()?;
            }
            Layouts::Buffer(buffer) => of.buffered = Some(Box::new(Mailbox::new(core, buffer)?)),
            Layouts::Medusa { buffer, receivers } => {
                of.buffered = Some(Box::new(Medusa::new(core, buffer, receivers)?));
            }
        }
        if modes.any() {
            let arrays = &mut Arrays::on(core.tools.device());
            of.lists = Some(Lists::room::<P>(arrays, modes, core.placed.shape)?);
        }
        Ok(of)
    }

    /// What launches that stay on the device need.
    fn lists(&self) -> Result<(&Push<D, P>, &Lists<D>), RunError> {
        self.push.as_ref().zip(self.lists.as_ref()).ok_or_else(|| missing("lists of vertices"))
    }
}

/// What a session should have, and has not.
fn missing(what: &'static str) -> RunError {
    let reason = format!("the session has no {what}; this is an error of the engine");
    DeviceError::Call { call: "a superstep", reason }.into()
}

impl<D: Device, P: VertexCompute> Session<P> for GpuSession<'_, D, P> {
    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        let before = self.core.launches();
        let mut course = self.begin(program, inputs)?;
        let stop = loop {
            let next = self.choose(&mut course);
            let done = self.execute(next, &mut course)?;
            if let Some(stop) = self.account(&mut course, done) {
                break stop;
            }
        };
        let launches = self.core.launches() - before - self.aside;
        let (aggregate, copies) = (course.aggregate, course.copies);
        let (mut report, explanation) = self.finish(course, stop);
        let start = Instant::now();
        let states = self.core.states()?;
        let download_time = start.elapsed();
        report.prepare_time = self.prepare_time;
        let device = self.report.clone();
        let device = DeviceReport { download_time, launches, copies, explanation, ..device };
        report.device = Some(Arc::new(device));
        self.failed = false;
        Ok(Outcome { states, aggregate, report })
    }
}

impl<D: Device, P: VertexCompute> fmt::Debug for GpuSession<'_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuSession")
            .field("device", &self.report.name)
            .field("strategy", &self.strategy)
            .finish_non_exhaustive()
    }
}
