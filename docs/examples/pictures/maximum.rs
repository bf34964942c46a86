//! Maximum value: a panel for each superstep, with the messages that came in it.

use pregel_figures::{Align, Diagram, Point, Tone, edge_of};

use super::Drawn;
use super::record;

const RADIUS: f64 = 19.0;
const PANEL: f64 = 104.0;
const WIDTH: u32 = 720;

/// The middle of a vertex in a panel.
fn place(vertex: u32, panel: usize) -> Point {
    (180.0 + 110.0 * f64::from(vertex), 34.0 + PANEL * panel as f64)
}

/// The picture.
pub fn draw() -> Drawn {
    let steps = record::run()?;
    let height = PANEL * (steps.len() - 1) as f64 + 68.0;
    let mut picture = Diagram::new(
        (WIDTH, height as u32),
        "Four vertices with the values 3, 6, 2 and 1 find their maximum in four supersteps",
    );
    for (panel, step) in steps.iter().enumerate() {
        let (_, y) = place(0, panel);
        picture.rectangle((8.0, y - 27.0), (f64::from(WIDTH) - 16.0, 54.0), "", Tone::Plain);
        picture.words((20.0, y + 5.0), &format!("superstep {panel}"), Align::Start, Tone::Plain);
        let senders = step.votes.iter().filter(|vote| vote.scatters()).count();
        let count = step.messages.len();
        let came = match count {
            0 => "no message".to_owned(),
            1 => "1 message".to_owned(),
            _ => format!("{count} messages"),
        };
        let next = match senders {
            0 => "no vertex scatters".to_owned(),
            1 => "1 vertex scatters".to_owned(),
            all if all == step.votes.len() => "all scatter".to_owned(),
            _ => format!("{senders} vertices scatter"),
        };
        let right = f64::from(WIDTH) - 20.0;
        picture.words((right, y - 4.0), &came, Align::End, Tone::Quiet);
        picture.words((right, y + 14.0), &next, Align::End, Tone::Quiet);
        for &(from, to, _) in &step.messages {
            let (start, end) = (place(from, panel - 1), place(to, panel));
            let (start, end) = (edge_of(start, RADIUS, end, 0.0), edge_of(end, RADIUS, start, 0.0));
            picture.arrow(start, end, 0.0, Tone::Strong);
        }
        for &(from, to, value) in &step.messages {
            let ((x0, y0), (x1, y1)) = (place(from, panel - 1), place(to, panel));
            // Where no two arrows meet: nearer to the sender, if the receiver is next to it.
            let part = if from.abs_diff(to) == 1 { 0.36 } else { 0.5 };
            let at = (x0 + part * (x1 - x0), y0 + part * (y1 - y0));
            picture.label(at, &value.to_string(), Tone::Strong);
        }
        for (vertex, (value, vote)) in step.values.iter().zip(&step.votes).enumerate() {
            let tone = if vote.scatters() { Tone::Strong } else { Tone::Quiet };
            picture.circle(place(vertex as u32, panel), RADIUS, &value.to_string(), tone);
        }
    }
    Ok(picture.svg())
}
