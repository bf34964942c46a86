//! The algorithms: one file each, and one line in [`ALGORITHMS`].

#[cfg(feature = "command")]
mod apsp;
#[cfg(feature = "command")]
mod bfs;
#[cfg(feature = "command")]
mod cdlp;
#[cfg(feature = "command")]
mod closeness;
#[cfg(feature = "command")]
mod colouring;
mod contract;
#[cfg(feature = "command")]
mod eigenvector;
#[cfg(feature = "command")]
mod hcc;
#[cfg(feature = "command")]
mod katz;
#[cfg(feature = "command")]
mod kcore;
#[cfg(feature = "command")]
mod lcc;
#[cfg(feature = "command")]
mod many;
#[cfg(feature = "command")]
mod mis;
#[cfg(feature = "command")]
mod pagerank;
#[cfg(feature = "command")]
mod scc;
#[cfg(feature = "command")]
mod sssp;
#[cfg(feature = "command")]
mod triangles;
#[cfg(feature = "command")]
mod wcc;
#[cfg(feature = "command")]
mod widest;

pub use contract::{Algorithm, Path, Solution};

use crate::args::RunArgs;
use crate::facts::{Facts, Param};
use crate::usage::UsageError;

/// Every algorithm, in the order of the help text.
#[cfg(feature = "command")]
static ALGORITHMS: &[&dyn Algorithm] = &[
    &pagerank::PageRank,
    &sssp::Sssp,
    &hcc::Hcc,
    &wcc::Wcc,
    &scc::Scc,
    &bfs::Bfs,
    &cdlp::Cdlp,
    &lcc::Lcc,
    &triangles::Triangles,
    &kcore::KCore,
    &widest::Widest,
    &katz::Katz,
    &eigenvector::Eigenvector,
    &closeness::Centrality::Closeness,
    &closeness::Centrality::Harmonic,
    &mis::IndependentSet,
    &colouring::Colouring,
    &apsp::Apsp,
];

/// What is known about every algorithm before it runs.
#[cfg(feature = "command")]
pub fn facts() -> Vec<Facts> {
    ALGORITHMS.iter().map(|algorithm| algorithm.facts()).collect()
}

/// The algorithm that the user asked for.
///
/// # Errors
/// When there is none of that name, or when it does not take one of the
/// parameters given.
#[cfg(feature = "command")]
pub fn find(args: &RunArgs) -> Result<&'static dyn Algorithm, UsageError> {
    let name = &args.algorithm;
    let named = ALGORITHMS.iter().copied().find(|algorithm| algorithm.facts().name == *name);
    let algorithm =
        named.ok_or_else(|| UsageError::new(format!("there is no algorithm «{name}»")))?;
    let takes = algorithm.facts().takes;
    match args.params.given().find(|param| !takes.contains(param)) {
        None => Ok(algorithm),
        Some(param) => Err(UsageError::new(format!(
            "{param} means nothing to {name}; it is for {}",
            takers(param).join(" and ")
        ))),
    }
}

/// Names of the algorithms that take a parameter.
#[cfg(feature = "command")]
fn takers(param: Param) -> Vec<&'static str> {
    facts().iter().filter(|facts| facts.takes.contains(&param)).map(|facts| facts.name).collect()
}
