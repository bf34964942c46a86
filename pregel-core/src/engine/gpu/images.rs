//! Where the kernels of a program come from.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;

use super::super::RunError;
use crate::program::Program;

/// Kernels as PTX text.
#[derive(Clone, Copy, Debug)]
pub struct Ptx(pub &'static str);

impl From<&'static str> for Ptx {
    fn from(text: &'static str) -> Self {
        Self(text)
    }
}

/// The kernels of several programs, and those that prepare a graph.
///
/// Made by the crate that owns the programs; `I` is what the device loads, PTX
/// for a GPU.
#[derive(Clone)]
pub struct Images<I = Ptx> {
    graph: Option<I>,
    programs: HashMap<TypeId, (&'static str, I)>,
}

impl<I> Default for Images<I> {
    fn default() -> Self {
        Self { graph: None, programs: HashMap::new() }
    }
}

impl<I: Clone> Images<I> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the kernels that no program owns.
    #[must_use]
    pub fn graph(mut self, image: impl Into<I>) -> Self {
        self.graph = Some(image.into());
        self
    }

    /// Adds the kernels of a program, whose entries begin with `name__`.
    #[must_use]
    pub fn program<P: Program>(mut self, name: &'static str, image: impl Into<I>) -> Self {
        self.programs.insert(TypeId::of::<P>(), (name, image.into()));
        self
    }

    /// The kernels of both.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.programs.extend(others.programs);
        self.graph = others.graph.or(self.graph);
        self
    }

    /// The kernels that no program owns.
    pub(super) fn tools(&self) -> Result<&I, RunError> {
        self.graph.as_ref().ok_or(RunError::NoKernels { program: "that prepares graphs" })
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
