//! Who combines the messages of a vertex on a GPU: a thread, a warp for each chunk, and then one warp or
//! several.

use std::error::Error;

use pregel_core::device::prepare::Mapping;
use pregel_core::device::{CHUNK_LAYERS, JOIN_CHUNKS, WARP};
use pregel_core::graph::generate::Spec;
use pregel_figures::{Align, Diagram, Point, Tone, thousands};

use super::Drawn;

/// The graph whose groups are counted.
const GRAPH: &str = "rmat:scale=16";
const PANEL: (f64, f64) = (236.0, 288.0);

/// The layers of each group of a graph, in the order in which a session keeps its vertices.
fn groups() -> Result<Vec<u32>, Box<dyn Error>> {
    let graph = GRAPH.parse::<Spec>()?.plain()?;
    let mut degrees: Vec<u32> =
        (0..graph.vertex_count()).map(|v| graph.incoming().row(v).len() as u32).collect();
    let (least, most) = (degrees.iter().copied().min(), degrees.iter().copied().max());
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
    degrees.sort_by_key(|&degree| Mapping::Logarithmic.region(degree, least, most, 0));
    Ok(degrees.chunks(WARP as usize).map(|g| g.iter().copied().max().unwrap_or(0)).collect())
}

/// The groups up to the last one that has more layers than a limit.
fn up_to(groups: &[u32], limit: u32) -> usize {
    groups.iter().rposition(|layers| *layers > limit).map_or(0, |last| last + 1)
}

/// What is drawn of one kind of group.
struct Kind {
    title: String,
    lines: [String; 3],
    /// The layers that are drawn: runs of them, each of which one warp handles.
    parts: &'static [usize],
    /// Who combines the results of the parts.
    joins: Option<String>,
    count: usize,
}

/// The picture.
pub fn draw() -> Drawn {
    let groups = groups()?;
    let heavy = up_to(&groups, CHUNK_LAYERS);
    let split = up_to(&groups, CHUNK_LAYERS * JOIN_CHUNKS);
    let kinds = [
        Kind {
            title: "one thread per vertex".to_owned(),
            lines: [
                format!("up to {CHUNK_LAYERS} messages per vertex:"),
                "each lane combines a column,".to_owned(),
                "then runs its vertex".to_owned(),
            ],
            parts: &[6],
            joins: None,
            count: groups.len() - heavy,
        },
        Kind {
            title: "one warp per chunk".to_owned(),
            lines: [
                format!("chunks of {CHUNK_LAYERS} layers, one warp"),
                "for each; one warp combines".to_owned(),
                format!("and runs the {WARP} vertices"),
            ],
            parts: &[4, 4, 2],
            joins: Some("a warp".to_owned()),
            count: heavy - split,
        },
        Kind {
            title: "several warps per group".to_owned(),
            lines: [
                format!("more than {JOIN_CHUNKS} chunks: several"),
                "warps join a part each, the".to_owned(),
                "last of them the results".to_owned(),
            ],
            parts: &[3, 3, 3, 3],
            joins: Some("warps".to_owned()),
            count: split,
        },
    ];
    let mut picture = Diagram::new(
        (768, 336),
        "Groups of vertices with few messages, with many, and with very many, and what combines them",
    );
    for (number, kind) in kinds.iter().enumerate() {
        let corner = (12.0 + number as f64 * (PANEL.0 + 18.0), 12.0);
        panel(&mut picture, corner, kind);
    }
    let caption = format!(
        "Of the {} groups of {GRAPH}, {} are of the first kind, {} of the second and {} of the third.",
        thousands(groups.len() as u64),
        thousands(kinds[0].count as u64),
        thousands(kinds[1].count as u64),
        thousands(kinds[2].count as u64),
    );
    picture.words((384.0, 324.0), &caption, Align::Middle, Tone::Quiet);
    Ok(picture.svg())
}

fn panel(picture: &mut Diagram, corner: Point, kind: &Kind) {
    const CELL: f64 = 13.0;
    const LANES: usize = 8;
    picture.rectangle(corner, PANEL, "", Tone::Plain);
    picture.words((corner.0 + 12.0, corner.1 + 22.0), &kind.title, Align::Start, Tone::Plain);
    for (line, words) in kind.lines.iter().enumerate() {
        let at = (corner.0 + 12.0, corner.1 + 42.0 + 17.0 * line as f64);
        picture.words(at, words, Align::Start, Tone::Quiet);
    }
    let (left, mut y) = (corner.0 + 12.0, corner.1 + 96.0);
    let right = left + LANES as f64 * CELL;
    let middle = corner.1 + 96.0 + 86.0;
    let layers: usize = kind.parts.iter().sum();
    let mut layer = 0;
    for (part, &length) in kind.parts.iter().enumerate() {
        let top = y;
        for _ in 0..length {
            for lane in 0..LANES {
                // Columns become shorter to the right, as vertices are sorted by degree.
                let padding = layer + lane / 3 >= layers && kind.joins.is_none() && lane > 2;
                let tone = match (padding, kind.joins.is_none(), part % 2) {
                    (true, ..) => Tone::Plain,
                    (_, true, _) => [Tone::Second, Tone::Third][lane % 2],
                    (_, false, odd) => [Tone::Second, Tone::Third][odd],
                };
                picture.rectangle(
                    (left + lane as f64 * CELL, y),
                    (CELL - 2.0, CELL - 2.0),
                    "",
                    tone,
                );
            }
            layer += 1;
            y += CELL;
        }
        match &kind.joins {
            None => {
                for lane in 0..LANES {
                    let x = left + lane as f64 * CELL + 5.5;
                    picture.arrow((x, y + 2.0), (x, y + 26.0), 0.0, Tone::Strong);
                    picture.circle((x, y + 34.0), 5.0, "", Tone::Strong);
                }
                let at = (right + 8.0, y + 18.0);
                picture.words(at, "a lane each", Align::Start, Tone::Strong);
            }
            Some(_) => {
                let from = (right + 2.0, (top + y - 2.0) / 2.0);
                picture.words((from.0 + 2.0, from.1 + 4.5), "warp", Align::Start, Tone::Quiet);
                picture.arrow((from.0 + 36.0, from.1), (right + 58.0, middle), 0.0, Tone::Strong);
            }
        }
        y += 6.0;
    }
    if let Some(joins) = &kind.joins {
        picture.rectangle((right + 58.0, middle - 15.0), (54.0, 30.0), joins, Tone::Strong);
    }
}
