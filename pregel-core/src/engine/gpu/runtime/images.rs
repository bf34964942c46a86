//! Images: the kernels of programs, in the form that a device loads.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;

use crate::device::{contract, tools_contract};
use crate::engine::RunError;
use crate::program::Program;

/// What the names of the kernels that belong to no program begin with.
pub(crate) const TOOLS: &str = "graph";

/// Kernels in the form that a device loads.
pub trait Image: Clone + Send + Sync {
    /// The [contract](crate::device::contract) of the program that the entries `name__…`
    /// were compiled from, or of the kernels that belong to no program, `graph__…`; `None` if
    /// the image does not say.
    fn contract(&self, name: &str) -> Option<u64>;
}

/// Kernels as PTX text, as `pregel-build` writes it: an empty line ends each kernel and
/// each other part, and there are no empty lines within one.
#[derive(Clone, Copy, Debug)]
pub struct Ptx(pub &'static str);

impl Ptx {
    /// The text with these kernels alone, so that the driver compiles no others.
    ///
    /// # Errors
    /// One of the names that no kernel has.
    #[cfg_attr(not(any(feature = "cuda-12", feature = "cuda-13", test)), expect(dead_code))]
    pub(crate) fn only<'a>(&self, kernels: &'a [String]) -> Result<String, &'a str> {
        let mut missing: Vec<&str> = kernels.iter().map(String::as_str).collect();
        let mut keep = |part: &&str| {
            let Some((_, after)) = part.split_once(".entry ") else { return true };
            let name = after.split('(').next().unwrap_or_default();
            let before = missing.len();
            missing.retain(|wanted| *wanted != name);
            missing.len() < before
        };
        let parts: Vec<&str> = self.0.split("\n\n").filter(|part| keep(part)).collect();
        match missing.first() {
            Some(name) => Err(name),
            None => Ok(parts.join("\n\n")),
        }
    }
}

impl Image for Ptx {
    /// The hexadecimal number in the line `// contract of NAME: NUMBER` that `pregel-build`
    /// writes.
    fn contract(&self, name: &str) -> Option<u64> {
        let stated = |line: &str| {
            let (of, number) = line.strip_prefix("// contract of ")?.split_once(": ")?;
            if of == name { u64::from_str_radix(number.trim(), 16).ok() } else { None }
        };
        self.0.lines().take_while(|line| line.starts_with("//")).find_map(stated)
    }
}

impl From<&'static str> for Ptx {
    fn from(text: &'static str) -> Self {
        Self(text)
    }
}

/// The kernels of several programs, and those that prepare a graph.
///
/// The crate that owns the programs makes them. `I` is the form that the device loads, PTX
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
    /// No kernels.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the kernels that no program owns.
    #[must_use]
    pub fn graph(mut self, image: impl Into<I>) -> Self {
        self.graph = Some(image.into());
        self
    }

    /// Adds the kernels of a program, the entries that begin with `name__`.
    ///
    /// Use the function that `pregel-build` writes, which pairs each program with its image.
    /// An image that was compiled from a program with other data is rejected when the
    /// program is prepared. A program on a GPU must not hold references, since they are
    /// host addresses.
    #[must_use]
    pub fn program<P: Program>(mut self, name: &'static str, image: impl Into<I>) -> Self {
        self.programs.insert(TypeId::of::<P>(), (name, image.into()));
        self
    }

    /// Adds the kernels of `others`, which replace any for the same program.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.programs.extend(others.programs);
        self.graph = others.graph.or(self.graph);
        self
    }

    /// Whether there are kernels of this program.
    pub fn has<P: Program>(&self) -> bool {
        self.programs.contains_key(&TypeId::of::<P>())
    }

    /// The kernels that no program owns.
    ///
    /// # Errors
    /// [`RunError::NoKernels`] if there are none, [`RunError::OtherKernels`] if they were
    /// compiled from another version of this library.
    pub(crate) fn tools(&self) -> Result<&I, RunError>
    where
        I: Image,
    {
        let (program, name) = ("that prepares graphs", TOOLS);
        let image = self.graph.as_ref().ok_or(RunError::NoKernels { program })?;
        if image.contract(name) == Some(tools_contract()) {
            Ok(image)
        } else {
            Err(RunError::OtherKernels { program, name })
        }
    }

    /// The name and the kernels of a program.
    ///
    /// # Errors
    /// [`RunError::NoKernels`] if there are none, [`RunError::OtherKernels`] if they were
    /// compiled from another program or from another version of it.
    pub(crate) fn find<P: Program>(&self) -> Result<&(&'static str, I), RunError>
    where
        I: Image,
    {
        let program = std::any::type_name::<P>();
        let found = self.programs.get(&TypeId::of::<P>());
        let named = found.ok_or(RunError::NoKernels { program })?;
        if named.1.contract(named.0) == Some(contract::<P>()) {
            Ok(named)
        } else {
            Err(RunError::OtherKernels { program, name: named.0 })
        }
    }
}

impl<I> fmt::Debug for Images<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.programs.values().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// head\n.version 7.8\n\n.shared .b8 S[4];\n\n.visible .entry \
        p__pull(\n)\n{\n}\n\n.visible .entry p__pull_all()\n{\n}\n";

    #[test]
    fn an_image_states_its_contract_in_its_head() {
        let text = "// made\n// contract of p: 1f\n.version 7.8\n// contract of q: 1\n";
        assert_eq!(Ptx(text).contract("p"), Some(31));
        assert_eq!(Ptx(text).contract("q"), None);
        assert_eq!(Ptx(TEXT).contract("p"), None);
    }

    #[test]
    fn kernels_are_cut_out_of_their_image() {
        let only = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            Ptx(TEXT).only(&names).map_err(str::to_owned)
        };
        let head = "// head\n.version 7.8\n\n.shared .b8 S[4];";
        let pull = format!("{head}\n\n.visible .entry p__pull(\n)\n{{\n}}");
        assert_eq!(only(&["p__pull"]), Ok(pull));
        let all = format!("{head}\n\n.visible .entry p__pull_all()\n{{\n}}\n");
        assert_eq!(only(&["p__pull_all"]), Ok(all));
        assert_eq!(only(&["p__pull_all", "p__pull"]), Ok(TEXT.to_owned()));
        assert_eq!(only(&["p__pull", "p__pul"]), Err("p__pul".to_owned()));
    }
}
