//! Tests of crashes at every moment: the real process is ended before and after each request and each line of its journal, then run again.
//! The same is tested with a service that fails from some request on.

mod crash_point;
mod pairs;
mod places;

use crash_point::{Tally, cut_everywhere, fail_everywhere};
use pairs::Pair;

/// Runs every pair on as many threads as there are processors.
fn all(pairs: Vec<Pair>, try_out: fn(&Pair) -> Tally) -> Tally {
    let queue = std::sync::Mutex::new(pairs);
    let work = || {
        let mut tally = Tally::default();
        loop {
            let Some(pair) = queue.lock().unwrap().pop() else { return tally };
            tally += try_out(&pair);
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().fold(Tally::default(), |sum, thread| sum + thread.join().unwrap())
    })
}

#[expect(clippy::print_stdout, reason = "the numbers are what the test is for")]
fn checked(tally: &Tally) {
    println!("{} runs cut short, {} failures", tally.cuts, tally.failures.len());
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n\n"));
}

#[test]
fn a_run_that_is_cut_off_anywhere_is_finished_by_the_next() {
    let tally = all(Pair::of_every_step(), cut_everywhere);
    checked(&tally);
    assert!(tally.cuts > 80, "only {} places were tried", tally.cuts);
}

#[test]
fn a_run_of_any_page_and_any_file_that_is_cut_off_is_finished_by_the_next() {
    let tally = all((0..4).map(Pair::random).collect(), cut_everywhere);
    checked(&tally);
    assert!(tally.cuts > 20, "only {} places were tried", tally.cuts);
}

#[test]
fn a_run_that_the_service_fails_is_finished_by_the_next() {
    let pairs: Vec<Pair> = Pair::of_every_step().into_iter().filter(Pair::is_small).collect();
    let tally = all(pairs, fail_everywhere);
    checked(&tally);
    assert!(tally.cuts > 40, "only {} requests were tried", tally.cuts);
}

/// `LINKS_TEST_PAIRS=500 cargo test -p links-cli --test cli crash -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn runs_of_many_pages_and_files_that_are_cut_off_are_finished_by_the_next() {
    let count = std::env::var("LINKS_TEST_PAIRS").map_or(100, |it| it.parse().unwrap());
    let pairs = || (1000..1000 + count).map(Pair::random).collect();
    checked(&all(pairs(), cut_everywhere));
    checked(&all(pairs(), fail_everywhere));
}
