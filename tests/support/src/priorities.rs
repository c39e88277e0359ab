//! Background work and a person's command that share the limits of one token, in simulated time.

use std::time::Duration;

/// Requests that are sent one after the other.
struct Stream<T> {
    is_background: bool,
    /// Time of its next event.
    at: Duration,
    /// Its request under way, answered at that time.
    ticket: Option<T>,
    answered: usize,
}

/// What a stream asks or tells its pacer.
#[derive(Debug)]
pub enum StreamEvent<T> {
    /// May a request be sent?
    Admit,
    /// The request of this ticket was answered.
    Settle(T),
}

/// Lets `background` streams send as many requests as their pacers admit, and a person send this number of requests from `start` on, one after
/// the other. Each is answered after `answer`. `ask` is told whether it is background work, the question, and the time; it returns a
/// ticket, or the wait until the next question. Of two streams that ask at the same time, background work is first.
///
/// Returns how long the person's requests took, and how many of background work were answered.
pub async fn person_takes<T: Send>(
    (background, answer): (usize, Duration),
    (start, requests): (Duration, usize),
    mut ask: impl AsyncFnMut(bool, StreamEvent<T>, Duration) -> Result<Option<T>, Duration>,
) -> (Duration, usize) {
    let stream = |is_background, at| Stream { is_background, at, ticket: None, answered: 0 };
    let mut streams: Vec<_> = (0..background).map(|_| stream(true, Duration::ZERO)).collect();
    streams.push(stream(false, start));
    loop {
        let next = streams.iter_mut().min_by_key(|stream| stream.at).unwrap();
        let now = next.at;
        if let Some(ticket) = next.ticket.take() {
            assert!(ask(next.is_background, StreamEvent::Settle(ticket), now).await.is_ok());
            next.answered += 1;
            if !next.is_background && next.answered == requests {
                let others = streams.iter().filter(|stream| stream.is_background);
                return (now.saturating_sub(start), others.map(|stream| stream.answered).sum());
            }
        }
        match ask(next.is_background, StreamEvent::Admit, now).await {
            Ok(ticket) => (next.ticket, next.at) = (ticket, now + answer),
            Err(wait) => next.at = now + wait,
        }
    }
}
