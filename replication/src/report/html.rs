//! The whole report as one page that needs no other file.

use pregel_figures::Page;

use super::{Cell, Item, Report, Table, Verdict};
use crate::ReplicationError;

impl Report {
    /// The report as HTML, pictures included.
    ///
    /// # Errors
    /// If a picture cannot be drawn.
    pub fn html(&self) -> Result<String, ReplicationError> {
        let mut page = Page::new(&self.title);
        page.paragraph(self.source);
        page.list(self.facts());
        for item in &self.items {
            show(&mut page, item)?;
        }
        Ok(page.finish())
    }
}

fn show(page: &mut Page, item: &Item) -> Result<(), ReplicationError> {
    page.heading(item.name, &item.title);
    page.paragraph(&item.method);
    table(page, &item.table);
    if let Some(figure) = &item.figure {
        page.figure(&item.title, figure)?;
    }
    if !item.claims.is_empty() {
        let claims = item.claims.iter().map(|claim| {
            let class = match claim.verdict {
                Verdict::Holds => "holds",
                Verdict::HoldsNoMore(_) => "fails",
                Verdict::NotComparable(_) => "open",
            };
            let verdict = (claim.verdict.to_string(), class);
            vec![(claim.paper.clone(), ""), (claim.ours.clone(), ""), verdict]
        });
        page.table(["the paper", "here", "verdict"], claims);
    }
    if let Some(verbatim) = &item.verbatim {
        page.verbatim(verbatim);
    }
    Ok(())
}

fn table(page: &mut Page, table: &Table) {
    let cell = |cell: &Cell| {
        let class = if matches!(cell, Cell::Text(_)) { "" } else { "number" };
        (cell.to_string(), class)
    };
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
    page.table(table.columns.iter().copied(), rows);
}
