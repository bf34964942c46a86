//! A picture of the degree distribution of a graph.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use pregel_core::graph::{Csr, Graph};

const WIDTH: u32 = 800;
const HEIGHT: u32 = 520;
const BLUE_DOT: RGBColor = RGBColor(31, 98, 168);
const RED_DOT: RGBColor = RGBColor(201, 79, 45);

/// Draws the number of vertices of every degree on logarithmic axes, as SVG.
/// Those of degree 0 have no place there; an axis title gives their number.
pub fn degrees(name: &str, graph: &Graph<()>) -> Result<String> {
    let mut series = Vec::new();
    if graph.directed() {
        series.push(Series::new("out-degree", BLUE_DOT, graph.out()));
        series.push(Series::new("in-degree", RED_DOT, graph.incoming()));
    } else {
        series.push(Series::new("degree", BLUE_DOT, graph.out()));
    }
    let mut svg = String::new();
    draw(&mut svg, name, &series).map_err(|error| anyhow!("cannot draw the degrees: {error}"))?;
    Ok(svg)
}

/// The dots of one colour.
struct Series {
    label: &'static str,
    colour: RGBColor,
    /// Number of vertices by degree.
    vertices: BTreeMap<u64, u64>,
}

impl Series {
    fn new(label: &'static str, colour: RGBColor, rows: &Csr) -> Self {
        let mut vertices = BTreeMap::new();
        for v in 0..rows.vertex_count() {
            *vertices.entry(rows.degree(v)).or_default() += 1;
        }
        Self { label, colour, vertices }
    }
}

fn draw(svg: &mut String, name: &str, series: &[Series]) -> Result<(), Box<dyn std::error::Error>> {
    let shown = || series.iter().flat_map(|series| series.vertices.range(1..));
    let most_degree = shown().map(|(degree, _)| *degree).max().unwrap_or(1);
    let most_vertices = shown().map(|(_, vertices)| *vertices).max().unwrap_or(1);
    let isolated: Vec<_> = series
        .iter()
        .map(|series| format!("{} of {} 0", series.vertices.get(&0).unwrap_or(&0), series.label))
        .collect();

    let area = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
    area.fill(&WHITE)?;
    let area = area.titled(name, ("sans-serif", 20))?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(
            (1.0..most_degree as f64 * 1.5).log_scale(),
            (0.7..most_vertices as f64 * 1.6).log_scale(),
        )?;
    let power = |x: &f64| crate::text::thousands(x.round() as u64);
    chart
        .configure_mesh()
        .x_desc(format!("degree ({} not shown)", isolated.join(", ")))
        .y_desc("vertices")
        .x_label_formatter(&power)
        .y_label_formatter(&power)
        .axis_desc_style(("sans-serif", 15))
        .label_style(("sans-serif", 13))
        .light_line_style(RGBColor(240, 240, 240))
        .bold_line_style(RGBColor(220, 220, 220))
        .draw()?;
    for Series { label, colour, vertices } in series {
        let style = colour.mix(0.7).filled();
        let dots = vertices.range(1..).map(|(degree, count)| (*degree as f64, *count as f64));
        chart
            .draw_series(dots.map(|dot| Circle::new(dot, 3, style)))?
            .label(*label)
            .legend(move |(x, y)| Circle::new((x + 8, y), 4, style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .border_style(RGBColor(200, 200, 200))
        .background_style(WHITE)
        .label_font(("sans-serif", 14))
        .draw()?;
    area.present()?;
    drop(chart);
    drop(area);
    Ok(())
}
