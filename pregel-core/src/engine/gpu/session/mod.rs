//! Supersteps on the device.

mod arguments;
mod bins;
mod choices;
mod memory;
mod stay;
mod steady;
mod step;

use std::any::TypeId;
use std::cell::OnceCell;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::device::{Device, DeviceError};
use super::explain::{Course, Explanation, HotSignals, WhyNot};
use super::needs;
use super::plan::Need;
use super::planner::Planner;
use super::prepare::{self, Parts, Prepared, Steps};
use super::pull::{self, Pulling};
use super::queue::Kernels;
use super::resident::Stays;
use super::{Gpu, launched, medusa, rows};
use crate::device::prepare::Restore;
use crate::device::{Arguments, Counts};
use crate::engine::{
    Outcome, RunError, RunOptions, Session, StopReason, Strategy, SuperstepReport, check_edges,
    check_run,
};
use crate::graph::Graph;
use crate::program::{Monoid, VertexCompute, Zeroable};
use bins::Binning;
use memory::Memory;
use steady::Row;

/// What a device did for a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceReport {
    /// The device.
    pub name: String,
    /// Its number.
    pub ordinal: u32,
    /// Loading the kernels, compiling them if the driver had to; next to nothing
    /// when the engine has run the program before.
    pub load_time: Duration,
    /// Copying the graph.
    pub upload_time: Duration,
    /// Sorting and laying it out: on the device, or for Medusa on the CPU.
    pub preprocess_time: Duration,
    /// Copying the states back.
    pub download_time: Duration,
    /// The memory planned, largest arrays first.
    pub memory: Vec<Need>,
    /// Slots of the columns: edges and padding.
    pub slots: u64,
    /// Kernels launched in the supersteps of the last run.
    pub launches: u64,
    /// Copies between host and device in the supersteps of the last run.
    pub copies: u64,
    /// What the last run chose, and why; `None` where there was nothing to choose.
    pub explanation: Option<Explanation>,
}

/// A graph on a device, ready for programs of type `P`.
pub struct GpuSession<'g, D: Device, P: VertexCompute> {
    device: Arc<D>,
    graph: &'g Graph<P::Edge>,
    options: RunOptions,
    strategy: Strategy,
    planner: Planner,
    /// How many signals are hot; see [`Step::hot`].
    hot: u32,
    bins: Binning<D, P>,
    /// Known once the kernels are loaded.
    pulling: OnceCell<Pulling>,
    tools: Kernels<D>,
    kernels: Kernels<D>,
    prepared: Prepared<D, P::Edge>,
    memory: Memory<D, P>,
    report: DeviceReport,
    prepare_time: Duration,
    /// Kernels launched in the last run to prepare something.
    aside: u64,
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
        let strategy = options.strategy_for::<P>()?;
        check_edges::<P>(graph)?;
        needs::check::<D, P>(device, graph, options, layout)?;
        let parts = Parts::of::<P>(strategy, options);

        let stays = Stays::of::<P>(strategy, options, layout.resident);
        let costs = choices::costs(&**device, layout);

        let loading = Instant::now();
        let tools = engine.tools()?;
        let kernels = library.kernels(TypeId::of::<P>(), (*name, image));
        let of_graph = prepare::launched::<P>(graph, (strategy, parts), options, layout);
        tools.load(&**device, &of_graph)?;
        let load_time = loading.elapsed();

        let steps = Steps { device: &**device, kernels: &tools };
        let prepared = match parts.medusa {
            true => medusa::prepare::<D, P>(&steps, graph, options.deterministic)?,
            false => prepare::prepare::<D, P>(&steps, graph, parts, options, layout)?,
        };
        let slots = prepared.columns.as_ref().map_or(0, |columns| columns.slots);
        let hot = match parts.pull {
            true => pull::hot::<D, _, P::Signal>(device, &prepared, layout.hot, &costs)?,
            false => HotSignals::None(WhyNot::Strategy(strategy)),
        };
        let wanted = (layout.resident, options.delta.is_some());
        let planner = Planner::new(costs, (prepared.vertices, prepared.edges), wanted);
        let fixed = options.deterministic;
        let bins = Binning::new(&**device, &prepared, (layout.bins, fixed), &costs)?;
        let memory = Memory::new(&**device, &prepared, stays)?;
        device.wait()?;
        let report = DeviceReport {
            name: device.name(),
            ordinal: device.ordinal(),
            load_time,
            upload_time: prepared.upload_time,
            preprocess_time: prepared.preprocess_time,
            download_time: Duration::ZERO,
            memory: needs::plan::<P>(graph, (parts, stays), slots.max(rows::edges::<P>(graph)))
                .into_needs(),
            slots,
            launches: 0,
            copies: 0,
            explanation: Some(choices::prepared::<D, P>(
                &prepared,
                strategy,
                (options, layout),
                (&planner, hot, bins.explained),
            )),
        };
        let prepare_time = start.elapsed();
        Ok(Self {
            device: Arc::clone(device),
            graph,
            options: options.clone(),
            strategy,
            planner,
            hot: hot.count(),
            bins,
            pulling: OnceCell::new(),
            tools,
            kernels,
            prepared,
            memory,
            report,
            prepare_time,
            aside: 0,
        })
    }

    /// Something is to be pushed by these kernels: loads them and lays the rows out,
    /// if that has not been done.
    fn lay_out(&mut self, a: &mut Arguments<P>, names: &[&'static str]) -> Result<(), DeviceError> {
        if self.prepared.push.is_some() {
            return Ok(());
        }
        let loading = Instant::now();
        self.tools.load(&self.device, launched::ROWS_TO_PUSH)?;
        self.kernels.load(&self.device, names)?;
        self.report.load_time += loading.elapsed();
        let (start, launches) = (Instant::now(), self.tools.launches());
        let steps = Steps { device: &*self.device, kernels: &self.tools };
        prepare::rows_to_push(&steps, &mut self.prepared)?;
        self.give_rows(a);
        self.device.wait()?;
        self.prepared_since(start, launches);
        Ok(())
    }

    /// Counts what was prepared during a run, from this time and number of launches
    /// on, as preparation.
    fn prepared_since(&mut self, start: Instant, launches: u64) {
        self.aside += self.tools.launches() - launches;
        self.report.preprocess_time += start.elapsed();
        self.prepare_time += start.elapsed();
    }

    /// Why the run ends after this superstep, if it does.
    fn over(&self, after: &Counts, superstep: u32) -> Option<StopReason> {
        if after.scattering == 0 && after.awake == 0 {
            return Some(StopReason::Halted);
        }
        (self.options.max_supersteps == Some(superstep)).then_some(StopReason::Limit)
    }

    /// Whether the next superstep can run without the host, and is small enough
    /// to be worth it.
    fn small(&self, before: &Counts) -> bool {
        self.memory.resident.stays.supersteps
            && before.awake == 0
            && before.messages <= self.planner.most_edges()
    }

    /// How the next superstep goes.
    fn next(&self, before: &Counts) -> Strategy {
        match self.strategy {
            Strategy::Auto => self.planner.hosted(before.messages),
            strategy => strategy,
        }
    }

    /// The states by id.
    fn states(&self) -> Result<Vec<P::State>, DeviceError> {
        let n = self.prepared.vertices;
        let a = Restore {
            count: n,
            width: size_of::<P::State>() as u32,
            place_of: self.prepared.place_of.global(),
            from: self.memory.states.bytes(),
            to: self.memory.restored.bytes(),
        };
        if size_of::<P::State>() > 0 {
            // SAFETY: both arrays hold a state for every vertex.
            unsafe { self.tools.each(&*self.device, "restore", n.into(), &a)? };
        }
        self.memory.restored.to_vec(&self.device)
    }
}

impl<D: Device, P: VertexCompute> Session<P> for GpuSession<'_, D, P> {
    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        check_run(self.graph, program, inputs)?;
        let stays = self.memory.resident.stays;
        let has_priority = program.priority(&P::State::zeroed()).is_some();
        let by_priority = stays.rounds && self.planner.rounds() && has_priority;
        let loading = Instant::now();
        let wanted = launched::by_program::<P>(self.strategy, stays, by_priority, self.hot > 0);
        self.kernels.load(&self.device, &wanted)?;
        self.report.load_time += loading.elapsed();
        self.memory.inputs.write(&self.device, inputs)?;
        let before = self.kernels.launches() + self.tools.launches();
        self.aside = 0;
        let mut copies = 0;
        let mut a = self.arguments(program);
        let mut counts = Counts::default();
        let mut course = Course::new(&self.options);
        let mut superstep = 0;
        // Small frontiers so far, one after the other, and how many are enough. What
        // stays has no aggregate, so that `converged` always says the same.
        let mut calm = 0;
        let enough = match program.converged(&P::Aggregate::identity()) {
            true => u32::MAX,
            false => self.planner.small_before(),
        };
        self.memory.resident.forget();
        self.bins.forget(&self.device)?;
        let mut row = Row::new();
        let (stop, aggregate) = 'run: loop {
            let queued = self.queued(superstep, &counts, &mut row);
            if queued.is_some_and(|queued| queued > 1) {
                self.cut(superstep)?;
            }
            let (strategy, mut messages) = match superstep {
                0 => (Strategy::Pull, 0),
                _ => (self.next(&counts), counts.messages),
            };
            if strategy == Strategy::Push {
                self.lay_out(&mut a, launched::TO_PUSH)?;
            }
            let start = Instant::now();
            let ended = match queued {
                Some(queued) => self.row(&mut a, superstep, &counts, queued)?,
                None => vec![self.one(&mut a, superstep, &counts, strategy)?],
            };
            copies += 1;
            let time = start.elapsed() / ended.len() as u32;
            if queued.is_some_and(|queued| queued > 1) {
                self.learn(ended.len() as u32, time);
            }
            let mut aggregate = P::Aggregate::identity();
            for (i, (after, total)) in (1..).zip(&ended) {
                (counts, aggregate) = (*after, *total);
                let active = counts.active;
                let sent = (messages, a.step.everyone > 0);
                let taken = self.taken((superstep, strategy), sent, ended.len() as u32);
                let step = SuperstepReport { superstep, active, messages, strategy, time };
                messages = counts.messages;
                if course.step(step, taken) == ControlFlow::Break(()) {
                    break 'run (StopReason::Cancelled, aggregate);
                }
                if i < ended.len() {
                    superstep += 1;
                }
            }
            if superstep > 0 && program.converged(&aggregate) {
                break (StopReason::Converged, aggregate);
            }
            if let Some(stop) = self.over(&counts, superstep) {
                break (stop, aggregate);
            }
            superstep += 1;
            if by_priority && superstep == 1 && counts.awake == 0 {
                self.lay_out(&mut a, &["near_far"])?;
                copies += self.settle(&mut a, program, inputs, &mut course)?;
                break (StopReason::Halted, aggregate);
            }
            calm = if self.small(&counts) { calm + 1 } else { 0 };
            let mut stop = None;
            while calm >= enough && stop.is_none() && self.small(&counts) {
                self.lay_out(&mut a, &["resident"])?;
                (superstep, counts) = self.stay(&mut a, superstep, &counts, &mut course)?;
                copies += stay::COPIES;
                stop = self.over(&counts, superstep - 1);
            }
            if let Some(stop) = stop {
                break (stop, aggregate);
            }
        };
        let (mut report, explanation) = self.explained(course, stop, has_priority);
        let start = Instant::now();
        let launches = self.kernels.launches() + self.tools.launches() - before - self.aside;
        let states = self.states()?;
        let download_time = start.elapsed();
        report.prepare_time = self.prepare_time;
        let device = self.report.clone();
        let device = DeviceReport { download_time, launches, copies, explanation, ..device };
        report.device = Some(Arc::new(device));
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
