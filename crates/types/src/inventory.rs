//! What a package names: hosts, commands, and what else a person wants to know before a yes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What sort of thing is named.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Named {
    /// Hosts in addresses.
    Hosts,
    /// Programs that are run.
    Commands,
    /// Variables of the environment that are read.
    Environment,
    /// Files that are written.
    Writes,
    /// Tools that the manifest asks for.
    Tools,
    /// Files of the package that nobody can read: programs, archives, byte code.
    Binaries,
}

impl Named {
    /// Every sort, in the order in which it is shown.
    pub const ALL: [Self; 6] =
        [Self::Hosts, Self::Commands, Self::Environment, Self::Writes, Self::Tools, Self::Binaries];

    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hosts => "hosts",
            Self::Commands => "commands",
            Self::Environment => "environment",
            Self::Writes => "writes",
            Self::Tools => "tools",
            Self::Binaries => "binaries",
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a package names. It is no verdict: it is shown to whoever approves, and what an update adds
/// to it is shown again. The names are the package's: show them with
/// [`printable`](crate::printable).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Inventory(BTreeMap<Named, BTreeSet<String>>);

impl Inventory {
    /// How many names of one sort are kept: a person reads no more, and a package that has more is
    /// a list of names itself.
    pub const MAX_NAMES: usize = 500;

    /// How many characters of a name are kept: a host has 253 at most.
    pub const MAX_CHARS: usize = 256;

    /// Adds a name. Beyond the limits it is left out, or cut.
    pub fn insert(&mut self, sort: Named, name: &str) {
        let names = self.0.entry(sort).or_default();
        if names.len() < Self::MAX_NAMES {
            names.insert(name.chars().take(Self::MAX_CHARS).collect());
        }
    }

    /// Adds all that another names.
    pub fn extend(&mut self, other: Self) {
        for (sort, names) in other.0 {
            for name in names {
                self.insert(sort, &name);
            }
        }
    }

    /// Returns the names of one sort, in order.
    pub fn names(&self, sort: Named) -> impl ExactSizeIterator<Item = &str> {
        static NONE: BTreeSet<String> = BTreeSet::new();
        self.0.get(&sort).unwrap_or(&NONE).iter().map(String::as_str)
    }

    /// Tells whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(BTreeSet::is_empty)
    }

    /// Returns what this names and another does not.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut rest = Self::default();
        for sort in Named::ALL {
            let known: BTreeSet<&str> = other.names(sort).collect();
            for name in self.names(sort).filter(|name| !known.contains(name)) {
                rest.insert(sort, name);
            }
        }
        rest
    }
}

/// What an update names that the version before it did not, and the other way round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InventoryChange {
    /// Named now.
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    pub added: Inventory,
    /// Named no more.
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    pub removed: Inventory,
}

impl InventoryChange {
    /// Compares two versions.
    pub fn between(before: &Inventory, after: &Inventory) -> Self {
        Self { added: after.without(before), removed: before.without(after) }
    }

    /// Tells whether both name the same.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Inventory, InventoryChange, Named};

    fn named(hosts: &[&str]) -> Inventory {
        let mut inventory = Inventory::default();
        hosts.iter().for_each(|host| inventory.insert(Named::Hosts, host));
        inventory
    }

    #[test]
    fn names_are_kept_up_to_the_limits() {
        let mut inventory = Inventory::default();
        for number in 0..=Inventory::MAX_NAMES {
            inventory.insert(Named::Commands, &format!("{number:05}"));
        }
        assert_eq!(inventory.names(Named::Commands).len(), Inventory::MAX_NAMES);
        let long = "x".repeat(Inventory::MAX_CHARS);
        inventory.insert(Named::Hosts, &long);
        inventory.insert(Named::Hosts, &(long.clone() + "y"));
        assert_eq!(inventory.names(Named::Hosts).collect::<Vec<_>>(), [long]);
    }

    #[test]
    fn a_change_is_what_either_names_alone() {
        let (before, after) =
            (named(&["a.example", "b.example"]), named(&["b.example", "c.example"]));
        let change = InventoryChange::between(&before, &after);
        assert_eq!((change.added, change.removed), (named(&["c.example"]), named(&["a.example"])));
        assert!(InventoryChange::between(&before, &before).is_empty());
    }

    #[test]
    fn it_is_an_object_of_lists() {
        let text = serde_json::to_string(&named(&["a.example"])).expect("it serialises");
        assert_eq!(text, r#"{"hosts":["a.example"]}"#);
        assert_eq!(
            serde_json::from_str::<Inventory>(&text).expect("it is one"),
            named(&["a.example"])
        );
    }
}
