//! Figures as SVG.

use std::error::Error;
use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::{Axis, Figure};
use crate::ReplicationError;

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

impl Figure {
    /// The figure as SVG.
    ///
    /// # Errors
    /// If it cannot be drawn; `item` names it then.
    pub fn svg(&self, item: &str, title: &str) -> Result<String, ReplicationError> {
        let mut svg = String::new();
        self.draw(&mut svg, title).map_err(|error| ReplicationError::Draw {
            item: item.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(svg)
    }

    fn draw(&self, svg: &mut String, title: &str) -> Result<(), Box<dyn Error>> {
        let (x, y) = (self.range(self.x, |(x, _)| x), self.range(self.y, |(_, y)| y));
        match (self.x.logarithmic, self.y.logarithmic) {
            (false, false) => self.chart(svg, title, x, y),
            (false, true) => self.chart(svg, title, x, y.log_scale()),
            (true, false) => self.chart(svg, title, x.log_scale(), y),
            (true, true) => self.chart(svg, title, x.log_scale(), y.log_scale()),
        }
    }

    /// What an axis has to span, with some room. A linear one that starts near 0 starts there; a
    /// logarithmic one leaves out what is not above 0.
    fn range(&self, axis: Axis, of: impl Fn((f64, f64)) -> f64) -> Range<f64> {
        let values = self.series.iter().flat_map(|series| &series.points).map(|&p| of(p));
        let shown = values.filter(|value| !axis.logarithmic || *value > 0.0);
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

    fn chart<X, Y>(&self, svg: &mut String, title: &str, x: X, y: Y) -> Result<(), Box<dyn Error>>
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
        let label = |value: &f64| {
            let whole = self.x.whole && value.fract() != 0.0;
            if whole { String::new() } else { value.to_string() }
        };
        chart
            .configure_mesh()
            .x_desc(self.x.label)
            .y_desc(self.y.label)
            .x_label_formatter(&label)
            .axis_desc_style(("sans-serif", 15))
            .label_style(("sans-serif", 13))
            .light_line_style(RGBColor(245, 245, 245))
            .bold_line_style(RGBColor(225, 225, 225))
            .draw()?;
        let mut middle = LINE_HEIGHT;
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            let dots = series.points.iter().map(|point| Circle::new(*point, 3, colour.filled()));
            chart.draw_series(dots)?;
            let line = LineSeries::new(series.points.iter().copied(), colour.stroke_width(2));
            chart.draw_series(line)?;
            let sample = [(0, middle), (20, middle)];
            legend.draw(&PathElement::new(sample, colour.stroke_width(2)))?;
            let name = Text::new(series.label.as_str(), (28, middle - 7), ("sans-serif", 14));
            legend.draw(&name)?;
            middle += LINE_HEIGHT;
        }
        area.present()?;
        Ok(())
    }
}
