//! Where a personalised surfer teleports.

use std::path::Path;

use anyhow::{Result, bail};
use pregel_core::graph::Ids;
use pregel_core::io::read_values;

use crate::expected::explain;
use crate::input::Input;
use crate::job::Params;

/// The probability of every vertex, summing to 1; `None` if all are equal.
pub fn probabilities(params: &Params, input: &Input) -> Result<Option<Vec<f64>>> {
    if let Some(id) = &params.source {
        let source = input.find(id)?;
        let mut weights = vec![0.0; input.ids().len() as usize];
        weights[source as usize] = 1.0;
        return Ok(Some(weights));
    }
    let Some(path) = &params.personalize else { return Ok(None) };
    Ok(Some(read(path, input.ids())?))
}

/// Reads lines of `id<TAB>weight`; weights of one vertex add up.
fn read(path: &Path, ids: &Ids) -> Result<Vec<f64>> {
    let mut weights = vec![0.0; ids.len() as usize];
    let add = |vertex, weight: &str| {
        let number: Option<f64> = weight.parse().ok();
        let number = number.filter(|number| *number >= 0.0 && number.is_finite());
        weights[vertex as usize] += number
            .ok_or_else(|| format!("expected a weight that is not negative, found «{weight}»"))?;
        Ok(())
    };
    read_values(path, ids, add).map_err(|error| explain(error, ids))?;
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        let path = path.display();
        bail!("{path}: the weights sum to {sum}, but must sum to a number above 0");
    }
    weights.iter_mut().for_each(|weight| *weight /= sum);
    Ok(weights)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read_text(text: &str) -> Result<Vec<f64>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("teleport");
        std::fs::write(&path, text).unwrap();
        read(&path, &Ids::range(5, 4)).map_err(|error| error.to_string())
    }

    #[test]
    fn weights_are_normalised_and_repeated_ones_add_up() {
        let weights = read_text("# who\n5\t1\n\n7 1.5\n7\t1.5\r\n").unwrap();
        assert_eq!(weights, [0.25, 0.0, 0.75, 0.0]);
    }

    #[test]
    fn errors_name_the_line() {
        let says = |text, wanted: &str| {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        };
        says("5\t1\n9\t1\n", ":2: vertex «9» is not in the graph; its ids are the integers 5 to 8");
        says("5\n", ":1: expected `id<TAB>value`");
        says("5\t-1\n", ":1: expected a weight that is not negative, found «-1»");
        says("5\tNaN\n", ":1: expected a weight");
        says("5\t0\n", "sum to 0");
        says("", "sum to 0");
    }
}
