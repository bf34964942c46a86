//! A session: a graph prepared on a device, and the main loop of its runs.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::advance::GpuRun;
use super::core::{Core, CoreMemory};
use super::course::Course;
use super::kept::GpuKept;
use super::plan::{Decided, decide, plan};
use super::pull::Pull;
use super::report;
use super::route::Other;
use super::steps::Steps;
use super::strategies::Strategies;
use super::worklist::ResidentModes;
use super::{push, resident, rounds, sample};
use crate::device::kernels::Set;
use crate::device::{Aggregated, any_will_do};
use crate::engine::gpu::Gpu;
use crate::engine::gpu::layout;
use crate::engine::gpu::policy::{Choice, Costs, DeviceReport, Forced, Planner, RunTrials, Traits};
use crate::engine::gpu::runtime::{Arrays, Device, DeviceError};
use crate::engine::{
    Inputs, RunError, RunOptions, Saved, Session, Strategy, check_edges, check_run,
};
use crate::graph::Graph;
use crate::program::{Monoid, VertexCompute};

/// A graph on a device, ready for programs of type `P`.
pub struct GpuSession<'g, D: Device, P: VertexCompute> {
    pub(super) graph: &'g Graph<P::Edge>,
    pub(super) options: RunOptions,
    pub(super) strategy: Strategy,
    pub(super) modes: ResidentModes,
    /// The planner of the run.
    pub(super) planner: Planner,
    /// The planner of runs that go as planned.
    pub(super) planned: Planner,
    pub(super) core: Core<D, P>,
    pub(super) strategies: Strategies<D, P>,
    pub(super) report: DeviceReport,
    pub(super) prepare_time: Duration,
    /// Whether a push is likely, so that its kernels are loaded before a run.
    pub(super) likely_to_push: bool,
    /// Kernels that the last run launched as preparation.
    pub(super) preparation_launches: u64,
    /// What edges add to priorities, once a run has sampled it. Another program may add
    /// something else; what is chosen by this changes only how long a run takes.
    pub(super) sampled: Option<Steps>,
    /// Whether runs are faster in another way than planned.
    pub(super) trials: RunTrials<Other>,
    /// Whether a run that went as planned had resident supersteps.
    pub(super) has_stayed: bool,
    /// The strategies that might have been faster for all supersteps of the last run in which the
    /// host started each; see [`close`](super::route::close).
    pub(super) close_hosted: [Option<Strategy>; 2],
    /// Strategies that might have been faster for all supersteps that the host started in the last
    /// run that chose for each.
    pub(super) close: [Option<Strategy>; 2],
    /// Whether a pull might have been faster than a push after it.
    pub(super) pulls_on: bool,
    /// Whether the last run ended in an error, so that slots may not be empty.
    pub(super) failed: bool,
}

impl<'g, D: Device, P: VertexCompute> GpuSession<'g, D, P> {
    pub(crate) fn new(
        engine: &Gpu<D>,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self, RunError> {
        let start = Instant::now();
        let Gpu { device, images, library, options: layout } = engine;
        let (name, image) = images.find::<P>()?;
        let _part = device.part(|| format!("prepare {name}"));
        // First, since it takes no time: checking edges reads all of them.
        let decided = decide::<D, P>(device, graph, options, layout)?;
        let Decided { strategy, shape, parts, modes } = decided;
        check_edges::<P>(graph)?;
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
        let groups_are_chunked = groups.is_some_and(|groups| groups.chunks.count > 0);
        let of_hubs = groups.map_or(0, |groups| groups.chunks.aggregates(true).into());
        let memory = CoreMemory::room(&mut Arrays::on(device), shape, of_hubs)?;
        let core = Core {
            tools,
            kernels,
            placed: prepared.placed,
            memory,
            deterministic: options.deterministic,
            observed: options.observer.is_some(),
        };
        let strategies = Strategies::new(&core, prepared.layout, modes, layout, &costs)?;
        device.wait()?;

        let reads_all = size_of::<P::Edge>() > 0 && !any_will_do::<P>();
        let traits =
            Traits { depth: sample::depth(graph), reads_chunks: reads_all && groups_are_chunked };
        let forced = Forced {
            resident: layout.resident,
            rounds: layout.rounds(),
            at_once: layout.priority == Choice::Always,
            has_delta: options.delta.is_some(),
        };
        let planner = Planner::new(costs, shape, traits, forced);
        let needs = plan::<D, P>(shape, &parts, modes, slots.max(shape.edges))?.into_needs();
        let explanation = report::explain::<D, P>(
            &report::Chosen { strategy, options, layout, planner: &planner },
            laid_out,
            strategies.pull.as_ref(),
        );
        let report = DeviceReport {
            load_time,
            upload_time: prepared.upload_time,
            preprocess_time: prepared.preprocess_time,
            slots,
            explanation: Some(explanation),
            ..DeviceReport::of(&**device, needs)
        };
        Ok(Self {
            graph,
            options: options.clone(),
            strategy,
            modes,
            planner,
            planned: planner,
            core,
            strategies,
            report,
            prepare_time: start.elapsed(),
            likely_to_push: parts.likely_to_push,
            preparation_launches: 0,
            sampled: None,
            trials: RunTrials::new(options.expected_runs),
            has_stayed: false,
            close_hosted: [None; 2],
            close: [None; 2],
            pulls_on: false,
            failed: false,
        })
    }
}

impl<'g, D: Device, P: VertexCompute> GpuSession<'g, D, P> {
    /// Makes the device ready for a run: checks it, loads its kernels and copies the inputs.
    fn make_ready<'a>(
        &mut self,
        program: &P,
        inputs: Inputs<'a, P::Input, GpuKept<D, P::Input>>,
    ) -> Result<Course<'a, P>, RunError> {
        check_run(self.graph, program, inputs.len())?;
        let device = Arc::clone(self.core.tools.device());
        let _part = device.part(|| "begin a run".into());
        self.core.make_room()?;
        let inputs = self.core.take_inputs(inputs)?;
        let mut course = Course::new(self.core.start(program), *program, inputs, &self.options);
        course.launched = self.core.launches();
        course.log.start_clock();
        // Resident launches do not ask `converged`. Their programs have no aggregate, so its
        // answer never changes; if it is true, the run ends after superstep 1.
        let never_converges = !program.converged(&P::Aggregate::identity());
        self.planner = self.planned;
        course.may_stay = never_converges && self.modes.supersteps;
        let may_have_rounds = never_converges && self.modes.rounds && course.has_priority;
        self.choose_route(&mut course, may_have_rounds);
        let mut sets = self.sets(course.by_priority);
        if course.patience.is_some() {
            sets.extend(self.sets(false));
        }
        let loaded = self.load(&sets, &sets)?;
        course.log.set_aside(loaded);
        self.core.copy_inputs(&course.inputs)?;
        self.preparation_launches = 0;
        if std::mem::replace(&mut self.failed, true)
            && let Some(push) = &self.strategies.push
        {
            push.reset()?;
        }
        if let Some(lists) = &self.strategies.lists {
            lists.forget();
        }
        if let Some(pull) = &mut self.strategies.pull {
            pull.bins.begin(course.by_bins)?;
        }
        course.log.stop_clock();
        Ok(course)
    }

    /// The kernels of the program that a run is likely to launch.
    pub(super) fn sets(&self, by_priority: bool) -> Vec<Set> {
        let Strategies { pull, push, buffered, .. } = &self.strategies;
        let mut sets = vec![Set::Init];
        if size_of::<Aggregated<P>>() > 0 {
            sets.push(Set::Aggregate);
        }
        if by_priority {
            sets.push(rounds::set(&self.planner));
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

    /// Loads kernels of the preparation and of the program. Returns the time that it took,
    /// which is no part of the run's.
    pub(super) fn load(&mut self, tools: &[Set], sets: &[Set]) -> Result<Duration, DeviceError> {
        let loading = Instant::now();
        self.core.tools.load(tools)?;
        self.core.kernels.load(sets)?;
        let took = loading.elapsed();
        self.report.load_time += took;
        Ok(took)
    }
}

impl<'g, D: Device, P: VertexCompute> Session<P> for GpuSession<'g, D, P> {
    type Engine = Gpu<D>;

    type Run<'r>
        = GpuRun<'r, 'g, D, P>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: Inputs<'r, P::Input, GpuKept<D, P::Input>>,
        saved: Option<&Saved<P>>,
    ) -> Result<GpuRun<'r, 'g, D, P>, RunError> {
        saved.map_or(Ok(()), |saved| saved.check(self.graph))?;
        let mut course = self.make_ready(program, inputs)?;
        if let Some(saved) = saved {
            self.resume_from(&mut course, saved)?;
            // The rest of a run is not compared with whole ones.
            course.compared = None;
        }
        Ok(GpuRun { session: self, course })
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
