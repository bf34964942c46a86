//! A program on a graph, with a judge of its result.

use pregel_core::engine::{Cpu, Engine, Outcome, RunOptions, Session, Strategy};
use pregel_core::graph::Graph;
use pregel_core::program::VertexCompute;

use super::ran::{Entry, Limits, On, Ran};
use crate::ReplicationError;
use crate::check::{Number, wrong};

/// What a judge says of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// How many vertices have a wrong result.
    pub wrong: u64,
    /// How far ranks are from the exact ones in total (L1); 0 of other results.
    pub error: f64,
}

/// A program on a graph.
pub struct Task<'a, P: VertexCompute> {
    pub graph_name: &'static str,
    pub name: &'static str,
    pub graph: &'a Graph<P::Edge>,
    pub program: P,
    pub judge: &'a dyn Fn(&[P::State]) -> Judged,
}

/// Judges results that must equal the expected ones in every bit.
pub fn equal<S: Number>(expected: &[S]) -> impl Fn(&[S]) -> Judged {
    |found| Judged { wrong: wrong(expected, found, 0.0), error: 0.0 }
}

impl<P: VertexCompute<Input = ()>> Task<'_, P> {
    /// For messages.
    pub fn with(&self, contender: &str) -> String {
        format!("{}, {}, {contender}", self.graph_name, self.name)
    }

    /// An error if the result is wrong, or else how far it is off.
    pub fn check(&self, contender: &str, found: &[P::State]) -> Result<f64, ReplicationError> {
        let Judged { wrong, error } = (self.judge)(found);
        if wrong > 0 {
            return Err(differs(self.graph_name, self.name, contender, wrong));
        }
        Ok(error)
    }

    /// What a run took whose result is right.
    pub fn checked(&self, name: &str, outcome: &Outcome<P>) -> Result<Ran, ReplicationError> {
        let error = self.check(name, &outcome.states)?;
        Ok(Ran { error, ..Ran::of(&outcome.report) })
    }

    /// Measures the CPU engine with this strategy.
    pub fn on_cpu(
        &self,
        name: &'static str,
        strategy: Strategy,
        limits: Limits,
    ) -> Result<Entry, ReplicationError> {
        let options = RunOptions::default().with_strategy(strategy);
        let mut session = Cpu::new().prepare::<P>(self.graph, &options)?;
        let runs = limits.run(|| self.checked(name, &session.run(&self.program)?))?;
        Ok(Entry { on: On::Cpu, name, ran: Ran::median(&runs) })
    }
}

/// The error of a wrong result.
pub fn differs(graph: &str, program: &str, contender: &str, vertices: u64) -> ReplicationError {
    ReplicationError::Differs {
        graph: graph.to_owned(),
        program: program.to_owned(),
        contender: contender.to_owned(),
        vertices,
    }
}
