//! Charts with one line, or row of dots, for each series.

use std::borrow::Cow;
use std::error::Error;
use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use crate::{DrawError, thousands};

const WIDTH: u32 = 960;
const HEIGHT: u32 = 480;
/// Room for the names of the lines, to the right of them.
const LEGEND: i32 = 240;
const LINE_HEIGHT: i32 = 22;
/// A logarithmic axis spans no more than this.
const LOG_SPAN: f64 = 1e9;
/// Colours that stay apart for colour-blind readers (Okabe and Ito, *Color Universal Design*),
/// then darker ones.
const COLOURS: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(150, 150, 150),
    RGBColor(0, 0, 0),
    RGBColor(110, 50, 140),
    RGBColor(120, 20, 30),
];

/// A picture with a line or dots for each series.
#[derive(Clone, Debug)]
pub struct Figure {
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// What is drawn, the later ones above.
    pub series: Vec<Series>,
}

/// An axis of a figure.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: Cow<'static, str>,
    /// Whether it is logarithmic. What is not above 0 has no place on it.
    pub logarithmic: bool,
    /// Whether only whole numbers mean something.
    pub whole: bool,
}

impl Axis {
    /// An axis for any numbers, not logarithmic.
    pub fn new(label: impl Into<Cow<'static, str>>) -> Self {
        Self { label: label.into(), logarithmic: false, whole: false }
    }

    /// The same, for whole numbers.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// The same, logarithmic.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { logarithmic: true, ..self }
    }
}

/// Points of one colour.
#[derive(Clone, Debug)]
pub struct Series {
    /// What they show.
    pub label: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub marks: Marks,
}

impl Series {
    /// Dots joined by lines.
    pub fn joined(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, marks: Marks::Joined }
    }

    /// A line, for many points.
    pub fn line(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { marks: Marks::Line, ..Self::joined(label, points) }
    }

    /// Dots.
    pub fn dots(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { marks: Marks::Dots, ..Self::joined(label, points) }
    }
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// As dots joined by lines.
    #[default]
    Joined,
    /// As a line, for many points.
    Line,
    /// As dots.
    Dots,
}

impl Figure {
    /// The figure as SVG.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn svg(&self, title: &str) -> Result<String, DrawError> {
        let mut svg = String::new();
        self.draw(&mut svg, title)
            .map_err(|source| DrawError { title: title.to_owned(), source })?;
        Ok(svg)
    }

    fn draw(&self, svg: &mut String, title: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (x, y) = (self.range(&self.x, |(x, _)| x), self.range(&self.y, |(_, y)| y));
        match (self.x.logarithmic, self.y.logarithmic) {
            (false, false) => self.chart(svg, title, x, y),
            (false, true) => self.chart(svg, title, x, y.log_scale()),
            (true, false) => self.chart(svg, title, x.log_scale(), y),
            (true, true) => self.chart(svg, title, x.log_scale(), y.log_scale()),
        }
    }

    /// What an axis has to span, with some room. A linear one that starts near 0 starts there; a
    /// logarithmic one leaves out what is not above 0.
    fn range(&self, axis: &Axis, of: impl Fn((f64, f64)) -> f64) -> Range<f64> {
        let values = self.series.iter().flat_map(|series| &series.points).map(|&p| of(p));
        let shown = values.filter(|value| axis.has_place(*value));
        let (low, high) = shown
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high || high == 0.0 {
            0.1..1.0
        } else if axis.logarithmic {
            low.max(high / LOG_SPAN) / 1.3..high * 1.3
        } else if low >= 0.0 && low < 0.6 * high {
            0.0..high * 1.08
        } else {
            let room = (high - low).max(high.abs() * 0.1) * 0.06;
            low - room..high + room
        }
    }

    fn chart<X, Y>(
        &self,
        svg: &mut String,
        title: &str,
        x: X,
        y: Y,
    ) -> Result<(), Box<dyn Error + Send + Sync>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let area = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
        area.fill(&WHITE)?;
        let (plot, legend) = area
            .titled(title, ("sans-serif", 18))?
            .split_horizontally(i32::try_from(WIDTH)? - LEGEND);
        let mut chart = ChartBuilder::on(&plot)
            .margin(14)
            .x_label_area_size(44)
            .y_label_area_size(70)
            .build_cartesian_2d(x, y)?;
        let [x_label, y_label] =
            [&self.x, &self.y].map(|axis| move |value: &f64| axis.format(*value));
        chart
            .configure_mesh()
            .x_desc(self.x.label.as_ref())
            .y_desc(self.y.label.as_ref())
            .x_label_formatter(&x_label)
            .y_label_formatter(&y_label)
            .axis_desc_style(("sans-serif", 15))
            .label_style(("sans-serif", 13))
            .light_line_style(RGBColor(245, 245, 245))
            .bold_line_style(RGBColor(225, 225, 225))
            .draw()?;
        let mut middle = LINE_HEIGHT;
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            let points = || series.points.iter().copied().filter(|point| self.has_place(*point));
            if series.marks != Marks::Line {
                chart.draw_series(points().map(|point| Circle::new(point, 3, colour.filled())))?;
            }
            if series.marks == Marks::Dots {
                legend.draw(&Circle::new((10, middle), 4, colour.filled()))?;
            } else {
                chart.draw_series(LineSeries::new(points(), colour.stroke_width(2)))?;
                let sample = [(0, middle), (20, middle)];
                legend.draw(&PathElement::new(sample, colour.stroke_width(2)))?;
            }
            let name = Text::new(series.label.as_str(), (28, middle - 7), ("sans-serif", 14));
            legend.draw(&name)?;
            middle += LINE_HEIGHT;
        }
        area.present()?;
        Ok(())
    }
}

impl Figure {
    fn has_place(&self, (x, y): (f64, f64)) -> bool {
        self.x.has_place(x) && self.y.has_place(y)
    }
}

impl Axis {
    /// Whether a number can be shown: for one of a very different size, axes would never be
    /// finished.
    fn has_place(&self, value: f64) -> bool {
        let size = value.abs();
        if self.logarithmic && value <= 0.0 {
            return false;
        }
        size == 0.0 || (1e-18..1e18).contains(&size)
    }

    fn format(&self, value: f64) -> String {
        match (self.whole, value.fract() == 0.0 && (0.0..1e15).contains(&value)) {
            (true, true) => thousands(value as u64),
            (true, false) => String::new(),
            // Marks are computed, so that some are 0.7000000000000001.
            (false, _) => format!("{value:.5e}").parse().unwrap_or(value).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn labels_are_short() {
        let labels = |axis: Axis| [0.7000000000000001, 0.0, 12345.0, 1e-5].map(|v| axis.format(v));
        assert_eq!(labels(Axis::new("")), ["0.7", "0", "12345", "0.00001"]);
        assert_eq!(labels(Axis::new("").whole()), ["", "0", "12,345", ""]);
    }

    #[test]
    fn any_points_can_be_drawn() {
        let shapes: [&[(f64, f64)]; 6] = [
            &[],
            &[(0.0, 0.0)],
            &[(1.0, 5.0), (1.0, 5.0)],
            &[(0.0, 1e-12), (1e9, 1e12)],
            &[(f64::NAN, 1.0), (f64::INFINITY, f64::MAX), (1.0, f64::MIN_POSITIVE)],
            &[(-3.0, -1e17), (1e17, 7.0)],
        ];
        for points in shapes {
            for marks in [Marks::Joined, Marks::Line, Marks::Dots] {
                for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                    let series = Series { marks, ..Series::joined("<s>", points.to_vec()) };
                    let figure = Figure {
                        x: Axis { logarithmic: x, whole: x != y, ..Axis::new("x") },
                        y: Axis { logarithmic: y, ..Axis::new("y") },
                        series: vec![series],
                    };
                    let svg = figure.svg("t").unwrap();
                    assert!(svg.ends_with("</svg>\n") && !svg.contains("<s>"), "{svg}");
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                }
            }
        }
    }
}
