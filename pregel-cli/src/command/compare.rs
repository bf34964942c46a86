//! `pregel compare`

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result};

use crate::args::CompareArgs;
use crate::job::refuse_overwriting;
use crate::output::{Target, print};
use crate::page::{facts, page};
use crate::report::Report;
use crate::text::{Align, Table};

/// Prints what the reports of two runs say, side by side.
pub fn execute(args: CompareArgs) -> Result<()> {
    let outputs: Vec<_> = args.html.as_deref().into_iter().collect();
    refuse_overwriting(&[&args.a, &args.b], &outputs)?;
    let html = args.html.as_deref().map(Target::new).transpose()?;
    let [a, b] = [read(&args.a)?, read(&args.b)?];
    let reports = [&a, &b];
    if let Some(target) = &html {
        let page = page(&reports)?;
        target.write(|out| out.write_all(page.as_bytes()))?;
    }
    if html == Some(Target::Stdout) {
        return Ok(());
    }
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Left, Align::Right]);
    table.row(["", "A", "B", "B ÷ A"]);
    for fact in facts(&reports) {
        let ratio = fact.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        table.row([fact.name.to_owned()].into_iter().chain(fact.values).chain([ratio]));
    }
    print(&table.to_string())
}

fn read(path: &Path) -> Result<Report> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_reader(BufReader::new(file)).with_context(|| {
        format!("{} is not a report that `pregel run --report` has written", path.display())
    })
}
