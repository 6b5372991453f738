//! Landlock without a single rule: nothing in the file system, no TCP, nobody else's signals.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetError, RulesetStatus,
    Scope,
};

use crate::lockdown::Held;

/// The newest rights that are asked for (Linux 6.12). An older kernel denies those it knows.
const RIGHTS: ABI = ABI::V6;

pub(super) fn deny() -> Result<Held, String> {
    let status = restrict().map_err(|error| error.to_string())?;
    Ok(match status {
        RulesetStatus::FullyEnforced => Held::Full,
        RulesetStatus::PartiallyEnforced => Held::Partial,
        RulesetStatus::NotEnforced => Held::No,
    })
}

fn restrict() -> Result<RulesetStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(RIGHTS))?
        .handle_access(AccessNet::from_all(RIGHTS))?
        .scope(Scope::from_all(RIGHTS))?
        .create()?;
    Ok(ruleset.restrict_self()?.ruleset)
}
