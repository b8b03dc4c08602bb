//! The server's events, from one connection after the other. The stream is a hint: what it says may be missing, twice or
//! out of order, so whoever listens reads the state again at every connection.

use std::collections::VecDeque;
use std::time::Duration;

use futures::Stream;
use reqwest::Response;

use super::client::{ANSWER, CallError, Client};
use super::sse::{Decoder, Item};
use super::wire::Event;

const FIRST_WAIT: Duration = Duration::from_millis(100);
/// A server that was there answers at once when it is back.
const AGAIN: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(super) enum Told {
    /// A connection is there; what was told before it came is not repeated.
    Connected,
    Event(Box<Event>),
    /// Something was told that cannot be read.
    Lost,
    /// The connection is gone, or did not come; another is tried.
    Cut(CallError),
}

struct State {
    client: Client,
    connection: Option<(Response, Decoder)>,
    ready: VecDeque<Told>,
    /// How long to wait before the next connection.
    wait: Duration,
    is_first: bool,
}

pub(super) fn events(client: Client) -> impl Stream<Item = Told> + Send {
    let state = State { client, connection: None, ready: VecDeque::new(), wait: FIRST_WAIT, is_first: true };
    futures::stream::unfold(state, |mut state| async move {
        let told = state.next().await;
        Some((told, state))
    })
}

impl State {
    async fn next(&mut self) -> Told {
        loop {
            if let Some(told) = self.ready.pop_front() {
                return told;
            }
            match self.connection.as_mut() {
                Some((response, decoder)) => match self.client.piece(response).await {
                    Ok(Some(bytes)) => {
                        self.wait = FIRST_WAIT;
                        let ready = &mut self.ready;
                        decoder.push(&bytes, |item| ready.push_back(told(item)));
                    }
                    Ok(None) => return self.cut("its stream of events ended".to_owned()),
                    Err(error) => {
                        self.connection = None;
                        return Told::Cut(error);
                    }
                },
                None => {
                    if let Some(error) = self.connect().await {
                        return Told::Cut(error);
                    }
                }
            }
        }
    }

    /// Why there is none.
    async fn connect(&mut self) -> Option<CallError> {
        let mut within = ANSWER;
        if !std::mem::take(&mut self.is_first) {
            tokio::time::sleep(self.wait).await;
            self.wait = (self.wait * 2).min(LONGEST_WAIT);
            within = AGAIN;
        }
        match self.client.events(within).await {
            Ok(response) => {
                self.connection = Some((response, Decoder::default()));
                None
            }
            Err(error) => Some(error),
        }
    }

    fn cut(&mut self, why: String) -> Told {
        self.connection = None;
        Told::Cut(CallError::Unreachable { url: String::new(), why })
    }
}

fn told(item: Item) -> Told {
    match item {
        Item::Data(data) => match Event::read(&data) {
            // Only now does it listen for us: what happened since the answer began is told by nobody.
            Event::Connected {} => Told::Connected,
            event => Told::Event(Box::new(event)),
        },
        Item::Lost => Told::Lost,
    }
}
