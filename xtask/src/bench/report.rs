//! What was measured, as a table and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::process;

/// One row at one size.
pub(super) struct Measured {
    pub(super) row: &'static str,
    pub(super) reach: f64,
    pub(super) units: usize,
    /// The subject's time and the yardstick's, of each round.
    pub(super) pairs: Vec<(Duration, Duration)>,
}

impl Measured {
    fn ratios(&self) -> Vec<f64> {
        let mut ratios: Vec<f64> =
            self.pairs.iter().map(|(subject, other)| subject.div_duration_f64(*other)).collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    }

    fn ratio(&self) -> f64 {
        let ratios = self.ratios();
        ratios[ratios.len() / 2]
    }

    /// The least time of the subject, in microseconds a unit: the least noise.
    fn per_unit(&self) -> f64 {
        let least = self.pairs.iter().map(|(subject, _)| *subject).min().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "a count of things on a disk")]
        let units = self.units as f64;
        least.as_secs_f64() * 1e6 / units
    }

    pub(super) fn line(&self) -> String {
        let ratios = self.ratios();
        format!(
            "{} of {}: {:.2} times the yardstick ({:.2} to {:.2}), {:.1} µs each",
            self.row,
            self.units,
            self.ratio(),
            ratios[0],
            ratios[ratios.len() - 1],
            self.per_unit()
        )
    }
}

pub(super) struct Report {
    rounds: usize,
    pub(super) measured: Vec<Measured>,
}

impl Report {
    pub(super) fn new(rounds: usize) -> Self {
        Self { rounds, measured: Vec::new() }
    }

    pub(super) fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .measured
            .iter()
            .map(|measured| {
                let seconds = |pick: fn(&(Duration, Duration)) -> Duration| -> Vec<f64> {
                    measured.pairs.iter().map(|pair| pick(pair).as_secs_f64()).collect()
                };
                json!({
                    "row": measured.row,
                    "units": measured.units,
                    "reach": measured.reach,
                    "ratio": measured.ratio(),
                    "ratios": measured.ratios(),
                    "subjectSeconds": seconds(|pair| pair.0),
                    "yardstickSeconds": seconds(|pair| pair.1),
                })
            })
            .collect();
        json!({ "machine": machine(), "rounds": self.rounds, "rows": rows })
    }

    pub(super) fn markdown(&self, legend: &str) -> String {
        let mut out = String::from(
            "| row | size | ratio | spread | reach | µs each | growth |\n|---|--:|--:|---|--:|--:|--:|\n",
        );
        let mut before: Option<&Measured> = None;
        for measured in &self.measured {
            let ratios = measured.ratios();
            let growth = match before.filter(|before| before.row == measured.row) {
                Some(before) => {
                    format!("{:+.0}%", (measured.per_unit() / before.per_unit() - 1.0) * 100.0)
                }
                None => String::new(),
            };
            let _ = writeln!(
                out,
                "| {} | {} | {:.2} | {:.2} to {:.2} | {:.2} | {:.1} | {growth} |",
                measured.row,
                measured.units,
                measured.ratio(),
                ratios[0],
                ratios[ratios.len() - 1],
                measured.reach,
                measured.per_unit(),
            );
            before = Some(measured);
        }
        let _ = write!(out, "\n{legend}");
        out
    }

    pub(super) fn page(&self, legend: &str) -> String {
        format!(
            "# Performance\n\n`cargo xtask bench` builds in release, makes its inputs, and runs each row and its \
             yardstick in turn;\n`--write` writes this page, `--quick` measures the smallest size alone, `--row NAME` \
             one row, `--json` as JSON.\nThe ratio is the median of {} rounds, with the least and the most beside it. \
             Growth is that of the time for\none unit from one size to the next. Machine: {}.\n\n{}",
            self.rounds,
            machine(),
            self.markdown(legend)
        )
    }
}

/// What was measured on, without a name of anybody's.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut uname = std::process::Command::new("uname");
    let system = process::output(uname.args(["-s", "-r", "-m"])).unwrap_or_default();
    format!("{cores} cores, {}", system.trim())
}
