//! Time and chance, injected.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use kitbag_types::{OperationId, Timestamp};

/// Tells the time and makes ids of operations.
pub trait Clock: Send + Sync {
    /// Returns the time.
    fn now(&self) -> Timestamp;

    /// Returns an id that no other operation has.
    fn operation(&self) -> OperationId;
}

/// The clock of this machine.
#[derive(Debug, Default)]
pub struct SystemClock {
    made: AtomicU64,
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn operation(&self) -> OperationId {
        use std::hash::{BuildHasher as _, RandomState};
        // `RandomState` is seeded by the system; the counter and the process id keep ids of one
        // millisecond apart even where two seeds were equal.
        let count = self.made.fetch_add(1, Ordering::Relaxed);
        let high = RandomState::new().hash_one((std::process::id(), count));
        let low = RandomState::new().hash_one((count, high));
        OperationId::new(self.now(), (u128::from(high) << 64) | u128::from(low))
    }
}
