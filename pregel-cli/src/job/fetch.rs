//! What `pregel fetch` is to do.

use std::env;
use std::path::PathBuf;

use anyhow::Result;

use crate::args::FetchArgs;
use crate::datasets::{DATASETS, Dataset};
use crate::usage::UsageError;

/// A graph to download, and where to.
#[derive(Debug)]
pub struct FetchJob {
    pub dataset: &'static Dataset,
    pub path: PathBuf,
}

impl FetchJob {
    /// `None` if the user wants to know which graphs there are.
    pub fn new(args: FetchArgs) -> Result<Option<Self>> {
        let Some(name) = args.name else { return Ok(None) };
        let Some(dataset) = DATASETS.iter().find(|dataset| dataset.name == name) else {
            return Err(UsageError::new(format!("no graph is called «{name}»")).into());
        };
        let folder = match args.folder {
            Some(folder) => folder,
            None => cache_folder(|name| env::var_os(name).map(PathBuf::from))?,
        };
        let path = folder.join(dataset.name).join(dataset.file());
        Ok(Some(Self { dataset, path }))
    }
}

/// The folder for graphs, by the environment.
fn cache_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf, UsageError> {
    let given = |name| variable(name).filter(|path| !path.as_os_str().is_empty());
    // The standard for this variable says that a relative path is ignored.
    let cache = given("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    given("PREGEL_DATA")
        .or_else(|| cache.map(|cache| cache.join("pregel")))
        .or_else(|| given("HOME").map(|home| home.join(".cache").join("pregel")))
        .ok_or_else(|| UsageError::new("there is no HOME to keep graphs in; add --folder DIR"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_that_is_given_counts() {
        let folder = |given: &[(&str, &str)]| {
            let find = |name: &str| given.iter().find(|(n, _)| *n == name);
            cache_folder(|name| find(name).map(|(_, path)| path.into())).ok()
        };
        let home = ("HOME", "/home/ann");
        let cache = ("XDG_CACHE_HOME", "/cache");
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(folder(&[home]), path("/home/ann/.cache/pregel"));
        assert_eq!(folder(&[home, cache]), path("/cache/pregel"));
        assert_eq!(folder(&[home, ("XDG_CACHE_HOME", "cache")]), path("/home/ann/.cache/pregel"));
        assert_eq!(folder(&[home, cache, ("PREGEL_DATA", "graphs")]), path("graphs"));
        assert_eq!(folder(&[home, cache, ("PREGEL_DATA", "")]), path("/cache/pregel"));
        assert_eq!(folder(&[]), None);
    }
}
