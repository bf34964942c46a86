//! Charts and diagrams as SVG and pages as HTML, for the reports and the book of pregel.
//!
//! A [`Figure`] is a chart and a [`Diagram`] a drawing of circles, boxes and arrows; both are drawn
//! without any font or file. A [`Page`] is a well-formed page that needs
//! nothing else: pictures and style are in it, nothing is fetched, and it has no scripts.
#![forbid(unsafe_code)]

mod diagram;
mod figure;
mod page;

use std::error::Error;

pub use diagram::{Align, Diagram, Point, Tone, edge_of};
pub use figure::{Axis, Figure, Marks, Series};
pub use page::{Page, escaped};

/// A chart that cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw «{title}»")]
pub struct DrawError {
    title: String,
    source: Box<dyn Error + Send + Sync>,
}

/// `1234567` as `1,234,567`.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_separated() {
        let texts = [0, 999, 1000, 1_234_567].map(super::thousands);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }
}
