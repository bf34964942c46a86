//! A program on all engines and under all strategies.

use std::fmt::{self, Debug};

use fastrand::Rng;
use pregel_core::engine::{
    Engine, Outcome, Reference, Run, RunError, RunOptions, Saved, Session, StopReason,
};
use pregel_core::graph::Graph;
use pregel_core::program::{Delivery, Monoid, Program, VertexCompute, VertexId};

use crate::compare::{Same, is_arbitrary, is_rounded, nearly_same, same_course, same_value};
#[cfg(feature = "emulator")]
use crate::contenders::emulated;
use crate::contenders::{Contender, on_cpu, trace_on};
use crate::failure::{Difference, Failure};
use crate::history::Post;
use crate::laws::Combination;
use crate::promise::{RUNS, applies, run_in_place};
use crate::samples::Samples;
use crate::shrink::Case;

/// Edges of the largest graph on which a promise is tested.
const IN_PLACE: u64 = 20_000;

/// Runs a program on every engine and under every strategy, and returns the outcome of the
/// reference if all agree. See [`AllEngines`] for what is tested, and for programs that take
/// inputs or need a superstep limit.
///
/// # Errors
/// The first [`Failure`].
pub fn all_engines<P>(graph: &Graph<P::Edge>, program: &P) -> Result<Outcome<P>, Failure>
where
    P: VertexCompute<Input = (), State: Debug, Edge: Debug>,
    P::Combiner: Delivery<Message: Debug>,
    P::Aggregate: Monoid<Value: Debug>,
{
    AllEngines::new().run(graph, program)
}

/// A test of a program on all engines, with options.
///
/// 1. The sequential [`Reference`] runs the program. It must halt, or converge, or a limit must
///    have been set.
/// 2. The combiner and the aggregate are tested for the [laws](crate::laws) with values from
///    this run.
/// 3. If the program promises [`MONOTONE`](Program::MONOTONE), it runs in place several times, in
///    random orders, with messages that are late or come twice. Not on graphs with more than
///    20,000 edges; [`run_on_parts`](Self::run_on_parts) tests parts of them.
/// 4. The CPU engine runs it under every strategy, deterministic and not, and the GPU engine
///    under every strategy on an emulated device (feature `emulator`). The states must be equal,
///    and the supersteps and messages too.
///
/// States are compared bit for bit, but floats within 1e-4 if the program adds floats;
/// [`with_same`](Self::with_same) compares in another way, as it must be if several results are
/// right. A failure is repeated on smaller and smaller parts of the graph for up to five seconds.
#[must_use = "a test does nothing until `run` is called"]
pub struct AllEngines<P: Program> {
    inputs: Vec<P::Input>,
    max_supersteps: Option<u32>,
    same: Option<Same<P::State>>,
    /// Further engines. A function, so that a test on the CPU alone need not be compiled for an
    /// emulated GPU.
    others: fn() -> Vec<Contender<P>>,
}

impl<P: Program> fmt::Debug for AllEngines<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllEngines")
            .field("inputs", &self.inputs.len())
            .field("max_supersteps", &self.max_supersteps)
            .finish_non_exhaustive()
    }
}

impl<P: VertexCompute> Default for AllEngines<P> {
    fn default() -> Self {
        #[cfg(feature = "emulator")]
        let others = emulated;
        #[cfg(not(feature = "emulator"))]
        let others = Vec::new;
        Self { inputs: Vec::new(), max_supersteps: None, same: None, others }
    }
}

impl<P> AllEngines<P>
where
    P: VertexCompute<State: Debug, Edge: Debug>,
    P::Combiner: Delivery<Message: Debug>,
    P::Aggregate: Monoid<Value: Debug>,
{
    /// A test without inputs and without a superstep limit.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same without the emulated GPU, which takes most of the time, of compiling as well.
    pub fn on_cpu() -> Self {
        Self { inputs: Vec::new(), max_supersteps: None, same: None, others: Vec::new }
    }

    /// Sets the inputs, one per vertex.
    pub fn with_inputs(self, inputs: &[P::Input]) -> Self {
        Self { inputs: inputs.to_vec(), ..self }
    }

    /// Sets the last superstep. Without it, a program that runs for more than four supersteps
    /// per vertex and a thousand besides counts as one that never halts.
    pub fn with_max_supersteps(self, supersteps: u32) -> Self {
        Self { max_supersteps: Some(supersteps), ..self }
    }

    /// Sets how states are compared: whether the first, from the run that is tested, is as good
    /// as the second, from the reference.
    pub fn with_same(self, same: fn(&P::State, &P::State) -> bool) -> Self {
        Self { same: Some(same), ..self }
    }

    /// Runs the test; returns the outcome of the reference.
    ///
    /// # Errors
    /// The first [`Failure`].
    pub fn run(&self, graph: &Graph<P::Edge>, program: &P) -> Result<Outcome<P>, Failure> {
        let expected = self.observe(graph, program)?;
        // Neither a limit nor `converged` ends a run in place.
        let halted = expected.report.stop == StopReason::Halted;
        if applies::<P>() && halted && graph.edge_count() <= IN_PLACE {
            self.keeps_promise(graph, program, &expected)?;
        }
        for contender in on_cpu().into_iter().chain((self.others)()) {
            self.compare(&contender, graph, program, &expected)?;
        }
        Ok(expected)
    }

    /// Runs the test on random parts of a graph, with the edges between up to 24 vertices each;
    /// returns how many parts there were. A part begins at a vertex that scatters first. In a
    /// graph with more than 4,096 vertices they are numbered anew, and parts on which the program
    /// is refused, since its source is not there, do not count.
    ///
    /// # Errors
    /// The first [`Failure`].
    pub fn run_on_parts(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        parts: u32,
    ) -> Result<u32, Failure> {
        let starts = self.starts(graph, program)?;
        let mut random = Rng::with_seed(parts.into());
        let mut done = 0;
        for _ in 0..if graph.vertex_count() == 0 { 0 } else { parts } {
            let most = random.u32(2..=24);
            let case = Case::sample(graph, &self.inputs, &starts, most, &mut random);
            let Some(part) = case.graph() else { continue };
            let test = Self {
                inputs: case.inputs().to_vec(),
                max_supersteps: self.max_supersteps,
                same: self.same,
                others: self.others,
            };
            match test.run(&part, program) {
                Ok(_) => done += 1,
                Err(Failure::Run { error: RunError::Program { .. }, .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(done)
    }

    /// The vertices that scatter or stay awake in superstep 0.
    fn starts(&self, graph: &Graph<P::Edge>, program: &P) -> Result<Vec<VertexId>, Failure> {
        let failed = |error| Failure::Run { engine: "the reference".into(), error };
        let mut session = Reference.prepare::<P>(graph, &self.options(graph)).map_err(failed)?;
        let mut run = session.start(program, &self.inputs).map_err(failed)?;
        run.advance(1).map_err(failed)?;
        let votes = run.save().map_err(failed)?.votes;
        let busy = (0..).zip(votes).filter(|(_, vote)| vote.scatters() || vote.awake());
        Ok(busy.map(|(vertex, _)| vertex).collect())
    }

    fn options(&self, graph: &Graph<P::Edge>) -> RunOptions {
        let bound = graph.vertex_count().saturating_mul(4).saturating_add(1000);
        RunOptions::default().with_max_supersteps(self.max_supersteps.unwrap_or(bound))
    }

    /// The outcome of the reference. Tests the laws with values from the run.
    fn observe(&self, graph: &Graph<P::Edge>, program: &P) -> Result<Outcome<P>, Failure> {
        let failed = |error| Failure::Run { engine: "the reference".into(), error };
        let options = self.options(graph);
        let mut session = Reference.prepare::<P>(graph, &options).map_err(failed)?;
        let mut run = session.start(program, &self.inputs).map_err(failed)?;
        let mut samples = Samples::default();
        let mut progress = run.advance(1).map_err(failed)?;
        while !progress.has_ended() {
            if samples.wants_more() {
                let saved = run.save().map_err(failed)?;
                samples.take(&Post { graph, program, inputs: &self.inputs, saved: &saved });
            }
            progress =
                run.advance(if samples.wants_more() { 1 } else { u32::MAX }).map_err(failed)?;
        }
        if progress.stop == Some(StopReason::Limit) && self.max_supersteps.is_none() {
            return Err(never_halts(&run.save().map_err(failed)?));
        }
        if let Some(combination) = Combination::of_delivery::<P::Combiner>() {
            combination.test(&samples.messages, None).map_err(Failure::Combiner)?;
        }
        let aggregate = Combination::of::<P::Aggregate>();
        aggregate.test(&samples.contributions, None).map_err(Failure::Aggregate)?;
        run.finish().map_err(failed)
    }

    /// How states are compared.
    fn same(&self) -> Same<P::State> {
        match self.same {
            Some(same) => same,
            None if is_rounded::<P>() => nearly_same,
            None => same_value,
        }
    }

    /// The first vertex whose states differ, with both.
    fn differs(&self, found: &[P::State], expected: &[P::State]) -> Option<(VertexId, String)> {
        let same = self.same();
        let pairs = found.iter().zip(expected);
        let vertex = pairs.clone().position(|(found, expected)| !same(found, expected))?;
        let (found, expected) = (&found[vertex], &expected[vertex]);
        Some((vertex as u32, format!("vertex {vertex}: {found:?}, expected {expected:?}")))
    }

    fn keeps_promise(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        expected: &Outcome<P>,
    ) -> Result<(), Failure> {
        let broken = |graph: &Graph<P::Edge>, inputs: &[P::Input], expected: &[P::State], seed| {
            match run_in_place(graph, program, inputs, seed) {
                Ok(states) => self.differs(&states, expected).map(|(_, what)| what),
                Err(broken) => Some(broken.describe()),
            }
        };
        for seed in 0..RUNS {
            let Some(what) = broken(graph, &self.inputs, &expected.states, seed) else { continue };
            let again = |case: &Case<P::Edge, P::Input>| {
                let graph = case.graph()?;
                let expected = self.reference(&graph, program, case.inputs())?;
                (0..RUNS).find_map(|seed| broken(&graph, case.inputs(), &expected.states, seed))
            };
            let smallest = Case::new(graph, &self.inputs).shrink(|case| again(case).is_some());
            return Err(Failure::Promise(Difference {
                engine: "a run in place".into(),
                superstep: None,
                what: again(&smallest).unwrap_or(what),
                graph: smallest.describe(),
                hint: "messages may arrive twice, and may be made from any state since the \
                       sender first scattered; without MONOTONE neither happens",
            }));
        }
        Ok(())
    }

    /// What the reference makes of a smaller graph; `None` if it is refused, or not done soon.
    fn reference(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
    ) -> Option<Outcome<P>> {
        let mut session = Reference.prepare::<P>(graph, &self.options(graph)).ok()?;
        let outcome = session.run_with(program, inputs).ok()?;
        let done = outcome.report.stop != StopReason::Limit || self.max_supersteps.is_some();
        done.then_some(outcome)
    }

    fn compare(
        &self,
        contender: &Contender<P>,
        graph: &Graph<P::Edge>,
        program: &P,
        expected: &Outcome<P>,
    ) -> Result<(), Failure> {
        let judge = |graph: &Graph<P::Edge>, inputs: &[P::Input], expected: &Outcome<P>| {
            let options = contender.options(self.options(graph));
            let found = (contender.run)(graph, program, inputs, &options)?;
            if let Some((_, what)) = self.differs(&found.states, &expected.states) {
                return Ok(Some(what));
            }
            // If sums are rounded, a run may converge sooner or later.
            if is_rounded::<P>() || self.same.is_some() {
                return Ok(None);
            }
            Ok(same_course::<P>(contender.strategy, &found.report, &expected.report).err())
        };
        let failed = |error: RunError| Failure::Run { engine: contender.name(), error };
        let Some(what) = judge(graph, &self.inputs, expected).map_err(failed)? else {
            return Ok(());
        };
        let again = |case: &Case<P::Edge, P::Input>| {
            let graph = case.graph()?;
            let expected = self.reference(&graph, program, case.inputs())?;
            judge(&graph, case.inputs(), &expected).ok()?
        };
        let smallest = Case::new(graph, &self.inputs).shrink(|case| again(case).is_some());
        let superstep = smallest.graph().and_then(|graph| {
            let options = contender.options(self.options(&graph));
            let trace = contender.trace?;
            let found = trace(&graph, program, smallest.inputs(), &options).ok()?;
            let options = self.options(&graph);
            let expected =
                trace_on(&Reference, &graph, program, smallest.inputs(), &options).ok()?;
            let pairs = found.iter().zip(&expected);
            let first = pairs.map(|(a, b)| self.differs(a, b)).position(|found| found.is_some())?;
            Some(first as u32)
        });
        Err(Failure::Difference(Difference {
            engine: contender.name(),
            superstep,
            what: again(&smallest).unwrap_or(what),
            graph: smallest.describe(),
            hint: self.hint(),
        }))
    }

    fn hint(&self) -> &'static str {
        if is_arbitrary::<P>() && self.same.is_none() {
            "the combiner may choose any of several messages; if several results are right, say \
             when two states are as good as each other: `with_same`"
        } else if is_rounded::<P>() && self.same.is_none() {
            "the program adds floats, which engines do in different orders; if the states are \
             close enough, say so: `with_same`"
        } else {
            ""
        }
    }
}

fn never_halts<P: VertexCompute<State: Debug>>(saved: &Saved<P>) -> Failure {
    let busy = || (0u32..).zip(&saved.votes).filter(|(_, vote)| vote.scatters() || vote.awake());
    let vertex = busy().next().map_or(0, |(vertex, _)| vertex);
    Failure::NeverHalts {
        superstep: saved.superstep,
        busy: busy().count() as u64,
        vertex,
        state: saved.states.get(vertex as usize).map_or(String::new(), |s| format!("{s:?}")),
    }
}
