//! A picture of how the degrees of a graph are spread.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use pregel_core::graph::{Csr, Graph};

const WIDTH: u32 = 800;
const HEIGHT: u32 = 520;
const BLUE_DOT: RGBColor = RGBColor(31, 98, 168);
const RED_DOT: RGBColor = RGBColor(201, 79, 45);

/// Number of vertices of every degree, on logarithmic axes, as SVG. Degree 0
/// has no place there and is told in the title.
pub fn degrees(name: &str, graph: &Graph<()>) -> Result<String> {
    let mut series = Vec::new();
    match graph.directed() {
        true => {
            series.push(("out-degree", BLUE_DOT, spread(graph.out())));
            series.push(("in-degree", RED_DOT, spread(graph.incoming())));
        }
        false => series.push(("degree", BLUE_DOT, spread(graph.out()))),
    }
    let mut svg = String::new();
    draw(&mut svg, name, &series).map_err(|error| anyhow!("cannot draw the degrees: {error}"))?;
    Ok(svg)
}

type Series = (&'static str, RGBColor, BTreeMap<u64, u64>);

/// Number of vertices of every degree.
fn spread(rows: &Csr) -> BTreeMap<u64, u64> {
    let mut spread = BTreeMap::new();
    for v in 0..rows.vertex_count() {
        *spread.entry(rows.degree(v)).or_default() += 1;
    }
    spread
}

fn draw(svg: &mut String, name: &str, series: &[Series]) -> Result<(), Box<dyn std::error::Error>> {
    let shown = || series.iter().flat_map(|(_, _, spread)| spread.range(1..));
    let most_degree = shown().map(|(degree, _)| *degree).max().unwrap_or(1);
    let most_vertices = shown().map(|(_, vertices)| *vertices).max().unwrap_or(1);
    let isolated: Vec<_> = series
        .iter()
        .map(|(label, _, spread)| format!("{} of {label} 0", spread.get(&0).unwrap_or(&0)))
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
    for (label, colour, spread) in series {
        let style = colour.mix(0.7).filled();
        let dots = spread.range(1..).map(|(degree, vertices)| (*degree as f64, *vertices as f64));
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
