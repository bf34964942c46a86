//! Looks inside a program before it runs: `--check` and `--follow`.

use std::fmt::Debug;

use anyhow::{Result, anyhow};
use pregel_core::engine::{Cpu, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::program::{Delivery, Monoid, VertexCompute};
use pregel_testing::compare::is_arbitrary;
use pregel_testing::{AllEngines, History};

use super::{Runner, explain_refusal};
use crate::text::count;
use crate::usage::UsageError;

/// Parts of the graph on which a program is checked.
const PARTS: u32 = 40;

impl Runner<'_> {
    /// Refuses `--check`, because several results are right.
    pub fn refuse_check(&self) -> Result<(), UsageError> {
        if !self.job.check {
            return Ok(());
        }
        let name = self.job.algorithm.name;
        Err(UsageError::new(format!(
            "--check compares states, but several results of {name} are right with these options; \
             --verify tells whether a result is one of them"
        )))
    }

    /// Compares the CPU engine with the reference, and tests what the program says of itself.
    pub(super) fn check_program<P>(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
    ) -> Result<()>
    where
        P: VertexCompute<State: Debug, Edge: Debug>,
        P::Combiner: Delivery<Message: Debug>,
        P::Aggregate: Monoid<Value: Debug>,
    {
        let name = self.job.algorithm.name;
        if is_arbitrary::<P>() {
            self.refuse_check()?;
        }
        self.progress.stage("checking");
        let mut test = AllEngines::on_cpu().with_inputs(inputs);
        if let Some(limit) = self.job.options.max_supersteps {
            test = test.with_max_supersteps(limit);
        }
        // Small graphs first: what fails there is easier to understand.
        let failed = |failure| anyhow!("{name} does not pass --check: {failure}");
        let parts = test.run_on_parts(graph, program, PARTS).map_err(failed)?;
        test.run(graph, program).map_err(failed)?;
        let parts = match parts {
            // Without its source, the program is refused.
            0 => String::new(),
            parts => format!(", here and on {} of the graph", count(parts.into(), "part", "parts")),
        };
        self.progress.note(&format!(
            "{name} passes --check: all strategies agree with the reference{parts}; its combiner \
             keeps the laws with messages from these runs{}",
            if P::MONOTONE { ", and it is monotone as it promises" } else { "" }
        ));
        Ok(())
    }

    /// What happens to the vertex that the user wants to follow, if any.
    pub(super) fn follow<P>(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
    ) -> Result<Option<String>>
    where
        P: VertexCompute<State: Debug>,
        P::Combiner: Delivery<Message: Debug>,
    {
        let Some(id) = &self.job.follow else { return Ok(None) };
        let vertex = self.input.find(id)?;
        self.progress.stage("following");
        // With `Auto`, a monotone program may run in place, where messages have no superstep.
        let strategy = if P::Combiner::COMBINES { Strategy::Pull } else { Strategy::Mailbox };
        let options = RunOptions::default()
            .with_strategy(strategy)
            .with_max_supersteps(self.job.options.max_supersteps);
        let history = History::record(&Cpu::new(), graph, program, inputs, vertex, &options);
        let history = history.map_err(explain_refusal)?;
        let text = history.describe(self.input.ids());
        // States and messages are printed as the program has them.
        let numbered = if *id == vertex.to_string() {
            String::new()
        } else {
            format!(", which is vertex {vertex} in states and messages")
        };
        Ok(Some(format!("what happened to {id}{numbered}\n\n{text}")))
    }
}
