//! Drawings of circles, boxes, arrows and words, for what no chart shows.

use std::fmt::Write;

use crate::escaped;

/// A place in a diagram: to the right and down from its upper left corner, in pixels.
pub type Point = (f64, f64);

/// A drawing, as SVG that needs nothing else.
///
/// It has a background of its own and follows the reader's colour scheme, light or dark, so it can
/// be read on any page. Where a page and the reader's system differ, so do their backgrounds, but
/// never a diagram's background and its lines.
///
/// The same calls give the same bytes on every machine: coordinates are rounded to tenths.
///
/// ```
/// use pregel_figures::{Diagram, Tone};
///
/// let mut diagram = Diagram::new((200, 80), "One vertex sends 3 to another");
/// diagram.circle((40.0, 40.0), 18.0, "3", Tone::Strong);
/// diagram.circle((160.0, 40.0), 18.0, "1", Tone::Quiet);
/// diagram.arrow((58.0, 40.0), (142.0, 40.0), 0.0, Tone::Strong);
/// assert!(diagram.svg().ends_with("</svg>\n"));
/// ```
#[derive(Clone, Debug)]
pub struct Diagram {
    size: (u32, u32),
    description: String,
    body: String,
}

/// What a part of a diagram means, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// What the diagram is about: what sends, what is read.
    Strong,
    /// A second matter beside it.
    Second,
    /// A third.
    Third,
    /// What takes no part.
    Quiet,
    /// What only holds the others together: frames, titles.
    Plain,
}

/// Where words stand, seen from their point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// They begin there.
    Start,
    /// Their middle is there.
    Middle,
    /// They end there.
    End,
}

/// The letters of a class and the colours of a tone: of lines, of areas, of words in an area; in
/// a light and in a dark scheme. Hues that stay apart for colour-blind readers (Okabe and Ito,
/// *Color Universal Design*).
struct Colours {
    class: &'static str,
    light: [&'static str; 3],
    dark: [&'static str; 3],
}

const BACKGROUND: [&str; 2] = ["#ffffff", "#1d2127"];
const WORDS: [&str; 2] = ["#22272e", "#d5dbe3"];

impl Tone {
    const ALL: [Self; 5] = [Self::Strong, Self::Second, Self::Third, Self::Quiet, Self::Plain];

    const fn colours(self) -> Colours {
        match self {
            Self::Strong => Colours {
                class: "s",
                light: ["#0072b2", "#0072b2", "#ffffff"],
                dark: ["#56b4e9", "#56b4e9", "#10151b"],
            },
            Self::Second => Colours {
                class: "n",
                light: ["#b84f00", "#ffd9ba", "#22272e"],
                dark: ["#f0954f", "#6b3410", "#ffe9d8"],
            },
            Self::Third => Colours {
                class: "t",
                light: ["#007a5a", "#c9eee2", "#22272e"],
                dark: ["#3fc79f", "#0d4a39", "#dcfff3"],
            },
            Self::Quiet => Colours {
                class: "q",
                light: ["#8a939d", "#eef0f2", "#5b646e"],
                dark: ["#76808c", "#2a3038", "#a4adb8"],
            },
            Self::Plain => Colours {
                class: "p",
                light: ["#c5cbd2", "#f7f8f9", "#22272e"],
                dark: ["#454d57", "#242930", "#d5dbe3"],
            },
        }
    }
}

impl Diagram {
    /// An empty diagram of some width and height, in pixels. The description is for those who do
    /// not see it.
    pub fn new(size: (u32, u32), description: impl Into<String>) -> Self {
        Self { size, description: description.into(), body: String::new() }
    }

    /// A circle with words in its middle.
    pub fn circle(&mut self, middle: Point, radius: f64, words: &str, tone: Tone) {
        let ((x, y), class) = (middle, tone.colours().class);
        self.add(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>"
        ));
        self.inside(middle, words, tone);
    }

    /// A box with words in its middle, from its upper left corner on.
    pub fn rectangle(&mut self, corner: Point, size: (f64, f64), words: &str, tone: Tone) {
        let ((x, y), (width, height), class) = (corner, size, tone.colours().class);
        self.add(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\" rx=\"3\"/>"
        ));
        self.inside((x + width / 2.0, y + height / 2.0), words, tone);
    }

    /// An arrow, bent to its left by `bend` pixels in its middle; to its right if that is negative.
    pub fn arrow(&mut self, from: Point, to: Point, bend: f64, tone: Tone) {
        let class = tone.colours().class;
        let over = beside(from, to, 2.0 * bend);
        // The line ends where the head begins, so that its end does not show at the tip.
        let (along_x, along_y) = unit(over, to);
        let neck = (to.0 - 8.0 * along_x, to.1 - 8.0 * along_y);
        self.add(format_args!(
            "<path class=\"{class} line\" d=\"M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}\"/>",
            from.0, from.1, over.0, over.1, neck.0, neck.1
        ));
        let (left, right) = (
            (neck.0 - along_x - 4.0 * along_y, neck.1 - along_y + 4.0 * along_x),
            (neck.0 - along_x + 4.0 * along_y, neck.1 - along_y - 4.0 * along_x),
        );
        self.add(format_args!(
            "<path class=\"{class} head\" d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
            to.0, to.1, left.0, left.1, right.0, right.1
        ));
    }

    /// A line without a head.
    pub fn line(&mut self, from: Point, to: Point, tone: Tone) {
        let class = tone.colours().class;
        self.add(format_args!(
            "<path class=\"{class} line\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Words on the background; those of [`Tone::Plain`] are a title.
    pub fn words(&mut self, at: Point, words: &str, align: Align, tone: Tone) {
        let anchor = match align {
            Align::Start => "start",
            Align::Middle => "middle",
            Align::End => "end",
        };
        let class = if tone == Tone::Plain { "title" } else { tone.colours().class };
        self.add(format_args!(
            "<text class=\"{class} on\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            at.0,
            at.1,
            escaped(words)
        ));
    }

    /// A label on a background of its own, for a line that runs below it.
    pub fn label(&mut self, middle: Point, words: &str, tone: Tone) {
        let (x, y) = middle;
        let width = 8.0 * words.chars().count() as f64 + 4.0;
        self.add(format_args!(
            "<rect class=\"under\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"15.0\"/>",
            x - width / 2.0,
            y - 7.5
        ));
        self.words((x, y + 4.5), words, Align::Middle, tone);
    }

    /// The diagram as SVG.
    pub fn svg(&self) -> String {
        let (width, height) = self.size;
        let description = escaped(&self.description);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{description}</title>\n\
             <style>\n{}</style>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\" \
             rx=\"6\"/>\n{}</svg>\n",
            style(),
            self.body
        )
    }

    fn inside(&mut self, middle: Point, words: &str, tone: Tone) {
        if words.is_empty() {
            return;
        }
        let class = tone.colours().class;
        self.add(format_args!(
            "<text class=\"{class} in\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            middle.0,
            middle.1 + 4.5,
            escaped(words)
        ));
    }

    fn add(&mut self, part: std::fmt::Arguments<'_>) {
        // Writing to a string never fails.
        let _ = writeln!(self.body, "{part}");
    }
}

/// The end of a way from one circle to another, at the edge of the second; of the way that an
/// [arrow](Diagram::arrow) with the same bend takes.
pub fn edge_of(middle: Point, radius: f64, from: Point, bend: f64) -> Point {
    let over = beside(from, middle, 2.0 * bend);
    let (x, y) = unit(middle, over);
    (middle.0 + radius * x, middle.1 + radius * y)
}

/// The point in the middle between two, moved to the left of the way by a distance.
fn beside(from: Point, to: Point, distance: f64) -> Point {
    let (x, y) = unit(from, to);
    ((from.0 + to.0) / 2.0 + distance * y, (from.1 + to.1) / 2.0 - distance * x)
}

/// The direction of a way, of length 1; none if it leads nowhere.
fn unit(from: Point, to: Point) -> (f64, f64) {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = (x * x + y * y).sqrt();
    if length > 0.0 { (x / length, y / length) } else { (0.0, 0.0) }
}

/// The rules for both colour schemes.
fn style() -> String {
    let mut style = String::from(
        "text{font:13px system-ui,\"DejaVu Sans\",sans-serif}\n.title{font-weight:600}\n\
         .line{fill:none!important;stroke-width:1.6}\n.head{stroke:none!important}\n\
         .on{stroke:none!important}\n.in{stroke:none!important}\n",
    );
    style += &rules(0);
    style += "@media (prefers-color-scheme:dark){\n";
    style += &rules(1);
    style + "}\n"
}

fn rules(scheme: usize) -> String {
    let (paper, words) = (BACKGROUND[scheme], WORDS[scheme]);
    let mut rules = format!(".paper,.under{{fill:{paper};stroke:none}}\n.title{{fill:{words}}}\n");
    for tone in Tone::ALL {
        let Colours { class, light, dark } = tone.colours();
        let [line, area, inside] = if scheme == 0 { light } else { dark };
        // Words and arrowheads have the colour of lines; words in an area one that fits it.
        // A quiet line would be too pale a word.
        let words = if tone == Tone::Quiet { inside } else { line };
        rules += &format!(
            ".{class}{{fill:{area};stroke:{line}}}\n.{class}.on{{fill:{words}}}\n\
             .{class}.head{{fill:{line}}}\n.{class}.in{{fill:{inside}}}\n"
        );
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_escaped_and_shapes_close() {
        let mut diagram = Diagram::new((100, 50), "a < b");
        diagram.circle((20.0, 20.0), 10.0, "<", Tone::Strong);
        diagram.rectangle((40.0, 10.0), (20.0, 20.0), "&", Tone::Second);
        diagram.arrow((1.0, 2.0), (3.0, 4.0), 5.0, Tone::Third);
        diagram.label((1.0, 2.0), ">", Tone::Quiet);
        let svg = diagram.svg();
        assert!(svg.contains("<title>a &lt; b</title>"), "{svg}");
        assert!(svg.contains(">&lt;</text>") && svg.contains(">&amp;</text>"), "{svg}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }

    #[test]
    fn an_arrow_that_leads_nowhere_is_drawn_all_the_same() {
        let mut diagram = Diagram::new((10, 10), "");
        diagram.arrow((5.0, 5.0), (5.0, 5.0), 3.0, Tone::Plain);
        assert!(!diagram.svg().contains("NaN"));
    }

    #[test]
    fn ways_end_at_the_edge_of_a_circle() {
        assert_eq!(edge_of((100.0, 0.0), 10.0, (0.0, 0.0), 0.0), (90.0, 0.0));
        let (x, y) = edge_of((100.0, 0.0), 10.0, (0.0, 0.0), 20.0);
        assert!(x > 90.0 && y < 0.0, "bent to the left of a way to the right is up: {x} {y}");
    }
}
