//! An endpoint for vectors on loopback, which knows what a few words mean.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// Words of one row mean the same.
const SYNONYMS: [&[&str]; 4] = [
    &["fridge", "refrigerator", "icebox"],
    &["car", "cars", "automobile", "automobiles", "vehicle"],
    &["doctor", "doctors", "physician", "physicians"],
    &["login", "authentication"],
];
const DIMENSIONS: usize = 32;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Well,
    /// With another number of dimensions.
    Of(usize),
    Fails,
    /// It takes the request and says nothing.
    Hangs,
    /// With what is no JSON.
    Garbles,
    NotANumber,
    Endlessly,
    SendsElsewhere,
    /// What a question means, and no more.
    OnlyOne,
}

/// What it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub model: String,
    pub texts: Vec<String>,
    pub authorization: Option<String>,
}

/// Answers until the process ends.
#[derive(Debug, Clone)]
pub struct Embeddings {
    port: u16,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    manner: Manner,
    seen: Vec<Request>,
}

impl Embeddings {
    pub fn start() -> Embeddings {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
        let port = listener.local_addr().expect("it is bound").port();
        let inner = Arc::new(Mutex::new(Inner { manner: Manner::Well, seen: Vec::new() }));
        let server = Embeddings { port, inner };
        let own = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                std::thread::spawn(move || own.serve(stream));
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1/embeddings", self.port)
    }

    pub fn behave(&self, manner: Manner) {
        self.inner().manner = manner;
    }

    /// What it was asked since this was last called.
    pub fn seen(&self) -> Vec<Request> {
        std::mem::take(&mut self.inner().seen)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        let request = read(&stream)?;
        let texts = request.texts.clone();
        let manner = {
            let mut inner = self.inner();
            inner.seen.push(request);
            inner.manner
        };
        let whole = |dimensions| json!({ "object": "list", "data": data(&texts, dimensions) }).to_string();
        let (status, body) = match manner {
            Manner::Well => ("200 OK", whole(DIMENSIONS)),
            Manner::OnlyOne if texts.len() == 1 => ("200 OK", whole(DIMENSIONS)),
            Manner::Of(dimensions) => ("200 OK", whole(dimensions)),
            Manner::Fails | Manner::OnlyOne => {
                ("500 Internal Server Error", json!({ "error": { "message": "out of memory" } }).to_string())
            }
            Manner::Garbles => ("200 OK", "<html>welcome</html>".to_owned()),
            Manner::NotANumber => ("200 OK", whole(DIMENSIONS).replace("0.0", "1e99")),
            Manner::SendsElsewhere => ("307 Temporary Redirect", String::new()),
            Manner::Hangs => {
                // Until the other side has had enough.
                let _gone = stream.read(&mut [0; 1]);
                return None;
            }
            Manner::Endlessly => return endlessly(&stream),
        };
        let location = format!("Location: {}/elsewhere\r\n", self.url());
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{location}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).ok()
    }
}

fn endlessly(mut stream: &TcpStream) -> Option<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"data\":[";
    stream.write_all(head.as_bytes()).ok()?;
    let blanks = [b' '; 1 << 16];
    while stream.write_all(&blanks).is_ok() {}
    None
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut authorization) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).ok()?;
    let texts = asked["input"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    Some(Request { model: asked["model"].as_str()?.to_owned(), texts, authorization })
}

fn data(texts: &[String], dimensions: usize) -> Vec<Value> {
    let one =
        |(index, text): (usize, &String)| json!({ "index": index, "embedding": vector(text, dimensions) });
    // Not in the order in which they were asked for.
    texts.iter().enumerate().rev().map(one).collect()
}

/// Each word in its own direction, and those that mean the same in one.
fn vector(text: &str, dimensions: usize) -> Vec<f64> {
    let mut vector = vec![0.0; dimensions];
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3 || *word == "car") {
        let class = SYNONYMS.iter().position(|row| row.contains(&word));
        let hashed = word.bytes().fold(7usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let (at, weight) = match class {
            Some(class) => (class % dimensions, 3.0),
            None => ((SYNONYMS.len() + hashed % 28) % dimensions, 1.0),
        };
        vector[at] += weight;
    }
    vector[dimensions - 1] += 0.1;
    vector
}
