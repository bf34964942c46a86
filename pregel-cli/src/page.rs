//! Reports of runs as one page that opens from a disk, without scripts.

mod charts;
mod facts;

use anyhow::Result;
use pregel_figures::Page;

use crate::report::{Degrees, DeviceFacts, Report, Step, Values};
use crate::text::{duration_of, short, thousands};

pub use facts::facts;

/// Supersteps in the table of the slowest.
const SLOWEST: usize = 10;

/// The page of one run, or of two side by side.
///
/// # Errors
/// If a picture cannot be drawn.
pub fn page(reports: &[&Report]) -> Result<String> {
    let title = |report: &&Report| {
        format!("{} on {}, engine {}", report.algorithm, report.graph.name, facts::engine(report))
    };
    let titles: Vec<String> = reports.iter().map(title).collect();
    let mut page = Page::new(&titles.join(" and "));
    if let [a, b] = titles.as_slice() {
        page.list([format!("A: {a}"), format!("B: {b}")]);
    }
    show_facts(&mut page, reports);
    page.heading("supersteps", "Superstep by superstep");
    for (title, figure) in charts::of(reports) {
        page.figure(title, &figure)?;
    }
    for (name, report) in named(reports) {
        slowest(&mut page, &name, &report.supersteps);
    }
    page.heading("degrees", "Degrees");
    let same = reports.windows(2).all(|pair| pair[0].graph.edge_hash == pair[1].graph.edge_hash);
    for (name, report) in named(if same { &reports[..1] } else { reports }) {
        for degrees in &report.graph.degrees {
            show_degrees(&mut page, if same { "" } else { &name }, degrees);
        }
    }
    page.heading("result", "Result");
    for (name, report) in named(reports) {
        match &report.values {
            Some(values) => show_values(&mut page, &name, values),
            None => page.paragraph(&format!("{name}The report has no values.")),
        }
    }
    for (name, report) in named(reports) {
        if let Some(device) = &report.device {
            show_device(&mut page, &name, device);
        }
    }
    Ok(page.finish())
}

/// The reports, each with what begins its lines: nothing if there is only one.
fn named<'a>(reports: &'a [&'a Report]) -> impl Iterator<Item = (String, &'a Report)> {
    let one = reports.len() == 1;
    let name = move |letter| if one { String::new() } else { format!("{letter}: ") };
    ('A'..='Z').map(name).zip(reports.iter().copied())
}

fn show_facts(page: &mut Page, reports: &[&Report]) {
    let two = reports.len() == 2;
    let headings = if two { vec!["", "A", "B", "B ÷ A"] } else { vec!["", ""] };
    let rows = facts(reports).into_iter().map(|fact| {
        let mut row = vec![(fact.name.to_owned(), "")];
        row.extend(fact.values.into_iter().map(|value| (value, "")));
        if two {
            row.push((
                fact.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}")),
                "number",
            ));
        }
        row
    });
    page.table(headings, rows);
}

/// The steps that took longest.
fn slowest(page: &mut Page, name: &str, steps: &[Step]) {
    let mut order: Vec<&Step> = steps.iter().collect();
    order.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    order.truncate(SLOWEST);
    let all: f64 = steps.iter().map(|step| step.seconds).sum();
    let listed: f64 = order.iter().map(|step| step.seconds).sum();
    if order.is_empty() {
        return;
    }
    page.paragraph(&format!(
        "{name}The {} that took longest, {:.1} % of the time of all {}:",
        order.len(),
        100.0 * listed / all.max(f64::MIN_POSITIVE),
        thousands(steps.len() as u64)
    ));
    let rows = order.into_iter().map(|step| {
        vec![
            (thousands(step.superstep.into()), "number"),
            (charts::way(step).to_owned(), ""),
            (thousands(step.active), "number"),
            (thousands(step.messages), "number"),
            (duration_of(step.seconds), "number"),
        ]
    });
    page.table(["superstep", "way", "active", "messages", "took"], rows);
}

fn show_degrees(page: &mut Page, name: &str, degrees: &Degrees) {
    page.paragraph(&format!(
        "{name}{}: median {}, mean {}, max {}",
        degrees.name,
        thousands(degrees.median),
        short(degrees.mean),
        thousands(degrees.max)
    ));
    let ranges = degrees.vertices.iter().enumerate();
    let rows: Vec<_> =
        ranges.map(|(bin, count)| (crate::groups::range_of_bin(bin), *count)).collect();
    page.histogram(&degrees.name, "vertices", &rows);
}

fn show_values(page: &mut Page, name: &str, values: &Values) {
    let without = match values.without {
        0 => String::new(),
        n => format!("; {} without a value", thousands(n)),
    };
    page.paragraph(&format!("{name}{} by {}{without}", values.counted, values.ranges));
    let rows: Vec<_> = values.bins.iter().map(|bin| (bin.range.clone(), bin.count)).collect();
    page.histogram(&values.ranges, &values.counted, &rows);
    let rows = values
        .highest
        .iter()
        .map(|ranked| vec![(ranked.id.clone(), ""), (short(ranked.value), "number")]);
    page.table(["highest: vertex", "value"], rows);
}

fn show_device(page: &mut Page, name: &str, device: &DeviceFacts) {
    page.heading("device", &format!("{name}{}", device.name));
    if let Some(choices) = &device.choices {
        page.list([
            format!("layout: {}", choices.layout),
            format!("hot signals: {}", choices.hot_signals),
            format!("binned messages: {}", choices.bins),
            format!("resident supersteps: {}", choices.resident),
            format!("rounds by priority: {}", choices.rounds),
            format!("other supersteps: {}", choices.hosted),
        ]);
    }
    let rows = device
        .memory
        .iter()
        .map(|array| vec![(array.name.clone(), ""), (thousands(array.bytes), "number")]);
    page.table(["array", "bytes"], rows);
}
