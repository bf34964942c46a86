//! What a GPU searches, at the scales of the CPU and at larger ones.

use std::time::Instant;

use super::engine::OnDevice;
use super::paper::{RATES, rates};
use super::{EDGE_FACTOR, GROWTH, Kronecker, Plan, Scale, Searches, fits_memory, official};
use crate::ReplicationError;
use crate::report::{Axis, Cell, Figure, Item, Series, Table, left_out};
use crate::timing::left;

/// The largest scales, which the CPU does not search in the time that there is. Those that it does
/// search are left out.
const LARGER: [u32; 4] = [20, 22, 24, 26];

/// Searches the larger graphs, as far as time and memory allow, and lists all that the device has
/// searched.
pub fn item(
    plan: &Plan,
    scales: &[Scale],
    largest: &Kronecker,
    device: &dyn OnDevice,
    progress: &dyn Fn(&str),
) -> Result<Item, ReplicationError> {
    let mut skipped = Vec::new();
    let mut found = Vec::new();
    // The last time, and the scale that took it.
    let mut last = None;
    let mut text = String::new();
    for scale in scales {
        last = Some((scale.scale, scale.gpu_took));
        match &scale.gpu {
            Some(Ok(searches)) => {
                if scale.scale == largest.scale {
                    text = official::output(largest, searches);
                }
                found.push((scale.scale, Row::of(scale.drawn, searches)));
            }
            Some(Err(why)) => skipped.push(format!("scale {}: {why}", scale.scale)),
            None => (),
        }
    }
    for scale in LARGER.into_iter().filter(|&scale| !plan.quick && scale > largest.scale) {
        if let Some((before, took)) = last {
            let steps = (scale - before).div_ceil(2);
            if took * GROWTH.pow(steps) > left(plan.until) {
                skipped.push(format!("scale {scale}: it would take too long"));
                break;
            }
        }
        if !fits_memory(scale) {
            skipped.push(format!("scale {scale}: there is not enough memory"));
            break;
        }
        progress(&format!("scale {scale}: engine gpu"));
        let begin = Instant::now();
        let kronecker = Kronecker::new(scale, EDGE_FACTOR, plan.roots)?;
        match device.searches(&kronecker)? {
            Ok(searches) => {
                text = official::output(&kronecker, &searches);
                let drawn = kronecker.drawn.edges.len() as u64;
                found.push((scale, Row::of(drawn, &searches)));
            }
            Err(why) => {
                skipped.push(format!("scale {scale}: {why}"));
                break;
            }
        }
        last = Some((scale, begin.elapsed()));
    }
    let points: Vec<_> = found.iter().map(|(scale, row)| (f64::from(*scale), row.gteps)).collect();
    Ok(Item {
        name: "gpu",
        title: "The engine on a GPU".to_owned(),
        method: format!(
            "The vertex program BfsTree, each tree checked as on the CPU. A search ends when \
             parents and levels of all vertices are in the GPU's memory; the last column is how \
             long copying them to the host takes then, in the median. Construction has the copy of \
             the graph to the GPU, and the loading of kernels. {}",
            left_out(&skipped)
        ),
        table: Table {
            columns: [&["scale", "edges as drawn"][..], &RATES, &["copy, ms"]].concat(),
            rows: found
                .into_iter()
                .map(|(scale, row)| {
                    [vec![Cell::Count(scale.into()), row.drawn.into()], row.cells].concat()
                })
                .collect(),
        },
        figure: (!points.is_empty()).then(|| Figure {
            x: Axis::new("scale").whole(),
            y: Axis::new("GTEPS, harmonic mean").logarithmic(),
            series: vec![Series::joined("pregel, engine gpu".to_owned(), points)],
        }),
        claims: Vec::new(),
        verbatim: Some(text).filter(|text| !text.is_empty()),
    })
}

/// What is kept of a graph's searches.
struct Row {
    drawn: u64,
    gteps: f64,
    cells: Vec<Cell>,
}

impl Row {
    fn of(drawn: u64, searches: &Searches) -> Self {
        let copy =
            searches.copy.map_or(Cell::Empty, |copy| Cell::Real(copy.as_secs_f64() * 1e3, 2));
        let cells = rates(searches).into_iter().chain([copy]).collect();
        Self { drawn, gteps: searches.gteps(), cells }
    }
}
