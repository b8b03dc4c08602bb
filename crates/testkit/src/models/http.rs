//! As much of HTTP/1.1 as model clients need: keep-alive, bodies by length or in chunks, streams of events.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

/// No honest request of a test is longer.
const MAX_BODY: u64 = 64 << 20;
const MAX_LINE: u64 = 64 << 10;

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
    /// What it is entered with.
    pub(crate) authorization: String,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    name: Option<String>,
    data: String,
}

impl Event {
    /// Named for the `type` in its data.
    pub(crate) fn named_by_type(data: &Value) -> Event {
        Event { name: data["type"].as_str().map(str::to_owned), data: data.to_string() }
    }

    pub(crate) fn unnamed(data: &Value) -> Event {
        Event { name: None, data: data.to_string() }
    }

    pub(crate) fn raw(data: &str) -> Event {
        Event { name: None, data: data.to_owned() }
    }

    fn bytes(&self) -> Vec<u8> {
        let name = self.name.as_ref().map(|name| format!("event: {name}\n")).unwrap_or_default();
        format!("{name}data: {}\n\n", self.data).into_bytes()
    }
}

/// One client's connection.
#[derive(Debug)]
pub(crate) struct Connection {
    reader: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream) -> Result<Connection> {
        stream.set_nodelay(true)?;
        Ok(Connection { reader: BufReader::new(stream) })
    }

    /// The next request, or none when the client is through.
    pub(crate) fn request(&mut self) -> Result<Option<Request>> {
        let first = self.line()?;
        let mut words = first.split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Ok(None);
        };
        let (mut length, mut chunked, mut authorization) = (0, false, String::new());
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().map_err(|_| bad("a content-length"))?,
                "transfer-encoding" => chunked = value.to_ascii_lowercase().contains("chunked"),
                "authorization" => authorization = value.to_owned(),
                "expect" => self.raw(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        let body = if chunked { self.chunks()? } else { self.take(length)? };
        Ok(Some(Request { method: method.to_owned(), path: path.to_owned(), body, authorization }))
    }

    /// A line without its end; empty at the end of the input.
    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.reader.by_ref().take(MAX_LINE).read_line(&mut line)?;
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }

    fn take(&mut self, length: u64) -> Result<Vec<u8>> {
        if length > MAX_BODY {
            return Err(bad("a body of that length"));
        }
        let mut body = vec![0; usize::try_from(length).map_err(|_| bad("a body of that length"))?];
        self.reader.read_exact(&mut body)?;
        Ok(body)
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(size, 16).map_err(|_| bad("a chunk size"))?;
            body.extend(self.take(size)?);
            self.line()?;
            if size == 0 {
                return Ok(body);
            }
            if body.len() as u64 > MAX_BODY {
                return Err(bad("a body of that length"));
            }
        }
    }

    /// A whole answer. The answer to a HEAD has the length and no body.
    pub(crate) fn json(
        &mut self,
        method: &str,
        status: u16,
        headers: &[(&str, String)],
        body: &Value,
    ) -> Result<()> {
        let body = body.to_string();
        let extra: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{extra}\r\n",
            reason(status),
            body.len()
        );
        let sent = if method == "HEAD" { "" } else { &body };
        self.raw(format!("{head}{sent}").as_bytes())
    }

    /// An answer of another kind than JSON.
    pub(crate) fn text(&mut self, kind: &str, text: &str) -> Result<()> {
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", text.len());
        self.raw(format!("{head}{text}").as_bytes())
    }

    /// An answer with nothing in it.
    pub(crate) fn no_content(&mut self) -> Result<()> {
        self.raw(b"HTTP/1.1 204 No Content\r\n\r\n")
    }

    pub(crate) fn begin_stream(&mut self) -> Result<()> {
        self.raw(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
              transfer-encoding: chunked\r\n\r\n",
        )
    }

    /// Sends an event in pieces of at most `piece` bytes, with `wait` after each.
    pub(crate) fn event(&mut self, event: &Event, piece: usize, mut wait: impl FnMut(usize)) -> Result<()> {
        for bytes in event.bytes().chunks(piece.max(1)) {
            let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
            chunk.extend_from_slice(bytes);
            chunk.extend_from_slice(b"\r\n");
            self.raw(&chunk)?;
            wait(bytes.len());
        }
        Ok(())
    }

    pub(crate) fn end_stream(&mut self) -> Result<()> {
        self.raw(b"0\r\n\r\n")
    }

    /// Begins an answer whose end the client will miss.
    pub(crate) fn half_json(&mut self, body: &Value) -> Result<()> {
        let body = body.to_string();
        let half = &body.as_bytes()[..body.len() / 2];
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.raw(&[head.as_bytes(), half].concat())
    }

    pub(crate) fn break_off(&mut self) -> Result<()> {
        self.reader.get_ref().shutdown(Shutdown::Both)
    }

    /// Returns when the client has gone, or the server has closed the connection.
    pub(crate) fn wait_for_end(&mut self) -> Result<()> {
        std::io::copy(&mut self.reader, &mut std::io::sink()).map(drop)
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.reader.get_mut().write_all(bytes)
    }
}

fn bad(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("the request does not have {what}"))
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Overloaded",
        _ => "Scripted",
    }
}
