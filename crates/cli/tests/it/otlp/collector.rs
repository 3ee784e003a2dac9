//! A collector: it takes requests, and reads their protobuf by the numbers of OTLP's `trace.proto`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

/// The reaction of the collector to a request.
#[derive(Clone, Copy)]
pub(crate) enum Manner {
    Takes,
    Refuses,
    NeverAnswers,
}

/// The head and the body of a request.
type Request = (String, Vec<u8>);

/// A collector; it ends with the test's process.
pub(crate) struct Collector {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// A point of a metric as it came.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) attributes: BTreeMap<String, String>,
    /// The number of values of a histogram, or the whole number of a sum.
    pub(crate) count: u64,
}

impl Point {
    fn all_of(metric: &Message<'_>) -> Vec<Self> {
        // A sum's points have their attributes at 7 and an integer at 6; those of a histogram have them at 9, and
        // the number of values at 4.
        let points = |kind, attributes, count| {
            let of_kind = metric.bytes(kind).map(Message::of);
            of_kind.flat_map(move |data| {
                data.bytes(1)
                    .map(Message::of)
                    .map(|point| Self {
                        attributes: point.attributes(attributes).into_iter().collect(),
                        count: point.number(count),
                    })
                    .collect::<Vec<_>>()
            })
        };
        points(7, 7, 6).chain(points(9, 9, 4)).collect()
    }
}

/// A span as it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    pub(crate) trace: Vec<u8>,
    pub(crate) id: Vec<u8>,
    pub(crate) parent: Vec<u8>,
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) times: [u64; 2],
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) status: u64,
    /// The ids of the linked spans.
    pub(crate) links: Vec<Vec<u8>>,
}

impl Collector {
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, requests) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<_>>>::default());
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            let mut waiting = Vec::new();
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let (mut head, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    if stream.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                        break;
                    }
                    let said = line.strip_prefix("content-length: ");
                    length = said.map_or(length, |said| said.trim().parse().unwrap());
                    head.push_str(&line);
                }
                let mut body = vec![0; length];
                stream.read_exact(&mut body).unwrap();
                seen.lock().unwrap().push((head, body));
                let answer: &[u8] = match manner {
                    Manner::Takes => b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                    Manner::Refuses => b"HTTP/1.1 403 x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                    Manner::NeverAnswers => b"",
                };
                stream.get_mut().write_all(answer).unwrap();
                if matches!(manner, Manner::NeverAnswers) {
                    waiting.push(stream);
                }
            }
        });
        Self { address, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Heads and bodies of the requests with spans.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.all_requests().into_iter().filter(|request| !is_for_metrics(request)).collect()
    }

    /// Heads and bodies of the requests with metrics.
    pub(crate) fn metric_requests(&self) -> Vec<Request> {
        self.all_requests().into_iter().filter(is_for_metrics).collect()
    }

    fn all_requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The names of all metrics, with the attributes of their points and the number of histogram points' values
    /// or the sum.
    pub(crate) fn metrics(&self) -> BTreeMap<String, Vec<Point>> {
        let mut metrics = BTreeMap::<String, Vec<Point>>::new();
        for (_, body) in self.metric_requests() {
            for of_resource in Message::of(&body).bytes(1) {
                for scope in Message::of(of_resource).bytes(2) {
                    for metric in Message::of(scope).bytes(2).map(Message::of) {
                        let name = String::from_utf8(metric.bytes(1).next().unwrap().to_vec()).unwrap();
                        metrics.entry(name).or_default().extend(Point::all_of(&metric));
                    }
                }
            }
        }
        metrics
    }

    /// Returns the number of values of a metric's points that have these attributes, in all requests.
    #[track_caller]
    pub(crate) fn count(&self, name: &str, expected: &[(&str, &str)]) -> u64 {
        let metrics = self.metrics();
        assert!(metrics.contains_key(name), "no metric {name} of {metrics:?}");
        let is_meant = |point: &&Point| {
            expected.iter().all(|(key, value)| point.attributes.get(*key).is_some_and(|found| found == value))
        };
        metrics[name].iter().filter(is_meant).map(|point| point.count).sum()
    }

    /// The spans of all requests, and the attributes of their senders.
    pub(crate) fn spans(&self) -> (Vec<Span>, BTreeMap<String, String>) {
        let (mut spans, mut resource) = (Vec::new(), BTreeMap::new());
        for (_, body) in self.requests() {
            for resource_spans in Message::of(&body).bytes(1) {
                let parts = Message::of(resource_spans);
                resource.extend(parts.bytes(1).flat_map(|resource| Message::of(resource).attributes(1)));
                let scopes = parts.bytes(2).map(Message::of);
                spans.extend(scopes.flat_map(|scope| {
                    scope.bytes(2).map(|span| Span::of(&Message::of(span))).collect::<Vec<_>>()
                }));
            }
        }
        (spans, resource)
    }
}

fn is_for_metrics((head, _): &Request) -> bool {
    head.starts_with("POST /v1/metrics ")
}

impl Span {
    fn of(message: &Message<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let first = |number| message.bytes(number).next().unwrap_or_default();
        Self {
            trace: first(1).to_vec(),
            id: first(2).to_vec(),
            parent: first(4).to_vec(),
            name: text(first(5)),
            kind: message.number(6),
            times: [message.number(7), message.number(8)],
            attributes: message.attributes(9).into_iter().collect(),
            status: Message::of(first(15)).number(3),
            links: message
                .bytes(13)
                .map(|link| Message::of(link).bytes(2).next().unwrap_or_default().to_vec())
                .collect(),
        }
    }

    #[track_caller]
    pub(crate) fn has(&self, expected: &[(&str, &str)]) {
        for (name, value) in expected {
            assert_eq!(self.attributes.get(*name).map(String::as_str), Some(*value), "{name} of {self:?}");
        }
    }
}

/// The fields of a message, by their numbers.
struct Message<'a>(Vec<(u64, Field<'a>)>);

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Message<'a> {
    fn of(mut bytes: &'a [u8]) -> Self {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let field = match key & 7 {
                0 => Field::Number(varint(&mut bytes)),
                1 => Field::Number(u64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
                2 => {
                    let length = usize::try_from(varint(&mut bytes)).unwrap();
                    Field::Bytes(take(&mut bytes, length))
                }
                5 => Field::Number(u64::from(u32::from_le_bytes(take(&mut bytes, 4).try_into().unwrap()))),
                _ => unreachable!("protobuf has no other way to write a field"),
            };
            fields.push((key >> 3, field));
        }
        Self(fields)
    }

    fn bytes(&self, number: u64) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter_map(move |(of, field)| match field {
            Field::Bytes(bytes) if *of == number => Some(*bytes),
            _ => None,
        })
    }

    fn number(&self, number: u64) -> u64 {
        let found = self.0.iter().find_map(|(of, field)| match field {
            Field::Number(value) if *of == number => Some(*value),
            _ => None,
        });
        found.unwrap_or_default()
    }

    fn attributes(&self, number: u64) -> Vec<(String, String)> {
        let of = |bytes| {
            let pair = Message::of(bytes);
            let key = String::from_utf8(pair.bytes(1).next().unwrap().to_vec()).unwrap();
            (key, value(&Message::of(pair.bytes(2).next().unwrap())))
        };
        self.bytes(number).map(of).collect()
    }
}

/// A text as it is, a number in digits, a list in brackets.
fn value(any: &Message<'_>) -> String {
    match any.0.first() {
        Some((1, Field::Bytes(text))) => String::from_utf8(text.to_vec()).unwrap(),
        Some((2, Field::Number(yes))) => (*yes == 1).to_string(),
        Some((5, Field::Bytes(list))) => {
            let values: Vec<String> =
                Message::of(list).bytes(1).map(|any| value(&Message::of(any))).collect();
            format!("[{}]", values.join(", "))
        }
        Some((_, Field::Number(number))) => number.to_string(),
        _ => String::new(),
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}
