//! The same supersteps pushed and pulled: who reads, who writes, and how often.

use pregel_figures::{Align, Diagram, Point, Tone, edge_of};

use super::Drawn;
use super::record;

const RADIUS: f64 = 17.0;
const STEP: f64 = 78.0;
/// Between the vertices as senders and the same vertices as receivers.
const DROP: f64 = 104.0;
const PANEL: (f64, f64) = (366.0, 216.0);

/// The picture.
pub fn draw() -> Drawn {
    let (graph, steps) = (record::graph()?, record::run()?);
    let mut picture = Diagram::new(
        (768, 476),
        "Push and pull in a superstep in which every vertex sends, and in one in which two do",
    );
    for (row, superstep) in [1, 2].into_iter().enumerate() {
        let (before, after) = (&steps[superstep - 1], &steps[superstep]);
        for (column, push) in [true, false].into_iter().enumerate() {
            let corner =
                (12.0 + column as f64 * (PANEL.0 + 12.0), 12.0 + row as f64 * (PANEL.1 + 20.0));
            let place = |vertex: u32, below: f64| -> Point {
                (corner.0 + 66.0 + STEP * f64::from(vertex), corner.1 + 58.0 + below)
            };
            picture.rectangle(corner, PANEL, "", Tone::Plain);
            let name = if push { "push" } else { "pull" };
            let title = format!("superstep {superstep}, {name}");
            picture.words((corner.0 + 12.0, corner.1 + 22.0), &title, Align::Start, Tone::Plain);
            let mut lines = 0;
            for to in 0..graph.vertex_count() {
                for &from in graph.incoming().row(to) {
                    let scatters = before.scatters(from);
                    if push && !scatters {
                        continue;
                    }
                    lines += 1;
                    let (start, end) = (place(from, 0.0), place(to, DROP));
                    let (start, end) =
                        (edge_of(start, RADIUS, end, 0.0), edge_of(end, RADIUS + 3.0, start, 0.0));
                    let tone = match (push, scatters) {
                        (true, _) => Tone::Second,
                        (false, true) => Tone::Third,
                        (false, false) => Tone::Quiet,
                    };
                    picture.arrow(start, end, 0.0, tone);
                }
            }
            for vertex in 0..graph.vertex_count() {
                let v = vertex as usize;
                let tone = if before.scatters(vertex) { Tone::Strong } else { Tone::Quiet };
                picture.circle(place(vertex, 0.0), RADIUS, &before.values[v].to_string(), tone);
                // What is combined: in a slot of memory if it is pushed, in a register otherwise.
                let came = after.messages.iter().filter(|(_, to, _)| *to == vertex);
                let best = came.map(|(_, _, value)| *value).max();
                let words = best.map_or("–".to_owned(), |best| best.to_string());
                let tone = match (best, push) {
                    (None, _) => Tone::Quiet,
                    (_, true) => Tone::Second,
                    (_, false) => Tone::Third,
                };
                let (x, y) = place(vertex, DROP);
                picture.rectangle((x - 15.0, y - 13.0), (30.0, 26.0), &words, tone);
            }
            let counted = if push {
                format!("{lines} messages written into slots, atomically")
            } else {
                format!(
                    "{lines} signals read for {} messages, no shared writes",
                    after.messages.len()
                )
            };
            let under = (corner.0 + 12.0, corner.1 + PANEL.1 - 16.0);
            picture.words(under, &counted, Align::Start, Tone::Quiet);
        }
    }
    Ok(picture.svg())
}
