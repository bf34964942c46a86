//! Where the kernels of a program come from.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;

use super::super::RunError;
use crate::program::Program;

/// The kernels of several programs, and those that prepare a graph.
///
/// Made by the crate that owns the programs; `I` is what the device loads, PTX
/// for a GPU.
#[derive(Clone)]
pub struct Images<I> {
    graph: I,
    programs: HashMap<TypeId, (&'static str, I)>,
}

impl<I: Clone> Images<I> {
    /// No program yet; `graph` has the kernels that no program owns.
    pub fn new(graph: impl Into<I>) -> Self {
        Self { graph: graph.into(), programs: HashMap::new() }
    }

    /// Adds the kernels of a program, whose entries begin with `name__`.
    #[must_use]
    pub fn program<P: Program>(mut self, name: &'static str, image: impl Into<I>) -> Self {
        self.programs.insert(TypeId::of::<P>(), (name, image.into()));
        self
    }

    /// The programs of both.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.programs.extend(others.programs);
        self
    }

    pub(super) fn graph(&self) -> &I {
        &self.graph
    }

    /// Name and kernels of a program.
    pub(super) fn find<P: Program>(&self) -> Result<&(&'static str, I), RunError> {
        let missing = RunError::NoKernels { program: std::any::type_name::<P>() };
        self.programs.get(&TypeId::of::<P>()).ok_or(missing)
    }
}

impl<I> fmt::Debug for Images<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.programs.values().map(|(name, _)| name)).finish()
    }
}
