//! Many files at the same time.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies a function to each item, and returns the results in the order of the items. It takes as
/// many threads as there are cores, but no more than `worthwhile`: what the caller knows to be too
/// little work for one more. A panic in one thread is passed on.
pub fn map<T: Sync, R: Send>(
    items: &[T],
    worthwhile: usize,
    apply: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(items.len()).min(worthwhile);
    if threads < 2 {
        return items.iter().map(apply).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, apply(item)));
        }
    };
    let mut all: Vec<(usize, R)> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn the_order_of_items_is_kept_with_and_without_threads() {
        let items: Vec<usize> = (0..1000).collect();
        let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
        for worthwhile in [0, 1, 2, 64] {
            assert_eq!(map(&items, worthwhile, |item| item * 2), expected);
        }
        assert_eq!(map(&[], 0, |item: &usize| *item), Vec::<usize>::new());
    }
}
