//! Where the messages of each vertex lie on a GPU: rows, columns in groups, and columns in groups
//! of vertices of about the same degree.

use pregel_core::device::columns::{column, group, slot};
use pregel_core::device::prepare::Mapping;
use pregel_figures::{Align, Diagram, Tone};

use super::Drawn;

/// The number of messages for each vertex.
const DEGREES: [u32; 8] = [2, 5, 1, 2, 4, 1, 4, 2];
const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
/// Groups of four vertices; on a GPU they have 32.
const SHIFT: u32 = 2;
const CELL: (f64, f64) = (34.0, 24.0);
/// Slots in a line of the picture.
const LINE: u64 = 20;
const LEFT: f64 = 14.0;

/// A slot: whose message, and which one; padding if none.
type Slots = Vec<Option<(usize, u32)>>;

/// The messages of each vertex one after the other.
fn rows() -> Slots {
    let cells = |v: usize| (0..DEGREES[v]).map(move |k| Some((v, k)));
    (0..DEGREES.len()).flat_map(cells).collect()
}

/// Columns in groups, of the vertices in some order.
fn columns(order: &[usize]) -> Slots {
    let mut slots = Slots::new();
    for (first, members) in order.chunks(1 << SHIFT).enumerate() {
        let base = slots.len() as u64;
        let layers = members.iter().map(|&v| DEGREES[v]).max().unwrap_or(0);
        slots.resize(slots.len() + ((layers as usize) << SHIFT), None);
        for (lane, &v) in members.iter().enumerate() {
            let place = ((first << SHIFT) + lane) as u32;
            for layer in 0..DEGREES[v] {
                slots[slot(base, place, u64::from(layer), SHIFT) as usize] = Some((v, layer));
            }
        }
    }
    slots
}

/// The vertices by falling degree, as a session sorts them: by region, and by id within one.
fn sorted() -> Vec<usize> {
    let (least, most) = (DEGREES.iter().min(), DEGREES.iter().max());
    let (least, most) = (least.copied().unwrap_or(0), most.copied().unwrap_or(0));
    let mut order: Vec<usize> = (0..DEGREES.len()).collect();
    order.sort_by_key(|&v| Mapping::Logarithmic.region(DEGREES[v], least, most, 0));
    order
}

/// The picture.
pub fn draw() -> Drawn {
    let given: Vec<usize> = (0..DEGREES.len()).collect();
    let sorted = sorted();
    let layouts = [
        (
            "rows: a lane reads its messages one by one, and the lanes read far apart",
            rows(),
            &given,
        ),
        ("columns, in groups of four: the lanes read side by side", columns(&given), &given),
        ("the same, sorted by degree first: less padding", columns(&sorted), &sorted),
    ];
    let lines: u64 = layouts.iter().map(|(_, slots, _)| (slots.len() as u64).div_ceil(LINE)).sum();
    let height = 30.0 + layouts.len() as f64 * 62.0 + lines as f64 * (CELL.1 + 6.0);
    let width = 2.0 * LEFT + LINE as f64 * CELL.0;
    let mut picture = Diagram::new(
        (width as u32, height as u32),
        "The messages of eight vertices as rows, as columns in groups, and as columns in groups \
         sorted by degree",
    );
    let mut y = 30.0;
    for (title, slots, order) in layouts {
        picture.words((LEFT, y), title, Align::Start, Tone::Plain);
        y += 12.0;
        for cells in slots.chunks(LINE as usize) {
            for (at, cell) in cells.iter().enumerate() {
                let corner = (LEFT + at as f64 * CELL.0, y);
                let (words, tone) = match *cell {
                    None => (String::new(), Tone::Plain),
                    Some((v, layer)) => {
                        let place = order.iter().position(|&other| other == v).unwrap_or(0) as u32;
                        // What the four lanes of the first group read at the same time.
                        let read = group(place, SHIFT) == 0 && layer == 0;
                        let odd = column(place, SHIFT) % 2 == 1;
                        let tone = match (read, odd) {
                            (true, _) => Tone::Strong,
                            (false, true) => Tone::Second,
                            (false, false) => Tone::Third,
                        };
                        (format!("{}{layer}", NAMES[v]), tone)
                    }
                };
                picture.rectangle(corner, (CELL.0 - 2.0, CELL.1), &words, tone);
            }
            y += CELL.1 + 6.0;
        }
        let padding = slots.iter().filter(|cell| cell.is_none()).count();
        let counted = match padding {
            0 => format!("{} slots", slots.len()),
            _ => format!("{} slots, {padding} of them padding", slots.len()),
        };
        picture.words((LEFT, y + 12.0), &counted, Align::Start, Tone::Quiet);
        y += 50.0;
    }
    Ok(picture.svg())
}
