//! The algorithms: one file each, and one line in [`ALGORITHMS`].

mod apsp;
mod bfs;
mod cdlp;
mod closeness;
mod colouring;
mod contract;
mod eigenvector;
mod hcc;
mod katz;
mod kcore;
mod lcc;
mod many;
mod mis;
mod pagerank;
mod scc;
mod sssp;
mod triangles;
mod wcc;
mod widest;

pub use contract::{Algorithm, Path, Solution};

use crate::args::RunArgs;
use crate::facts::{Facts, Param};
use crate::usage::UsageError;

/// Every algorithm, in the order of the help text.
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
pub fn facts() -> Vec<Facts> {
    ALGORITHMS.iter().map(|algorithm| algorithm.facts()).collect()
}

/// The algorithm that the user asked for.
///
/// # Errors
/// When there is none of that name, or when it does not take one of the
/// parameters given.
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
fn takers(param: Param) -> Vec<&'static str> {
    facts().iter().filter(|facts| facts.takes.contains(&param)).map(|facts| facts.name).collect()
}
