//! A template with its variables put in.

use serde_json::Value;

use crate::error::RenderError;
use crate::path::{Path, Start};
use crate::tree::{Arm, Block, Node, Word};

/// Far more than an agent reads.
pub(crate) const LONGEST: usize = 8 * 1024 * 1024;
/// Nested loops come to the product of their lists.
pub(crate) const MOST_STEPS: u32 = 1_000_000;

pub(crate) fn render(nodes: &[Node], root: &Value) -> Result<String, RenderError> {
    let frame = Frame { value: root, turn: None, params: &[] };
    let mut rendering = Rendering { frames: vec![frame], out: String::new(), steps: 0 };
    rendering.nodes(nodes)?;
    Ok(rendering.out)
}

struct Rendering<'a> {
    frames: Vec<Frame<'a>>,
    out: String,
    steps: u32,
}

/// What a block is about.
struct Frame<'a> {
    value: &'a Value,
    turn: Option<Turn<'a>>,
    params: &'a [String],
}

/// Where a loop is.
#[derive(Clone, Copy)]
struct Turn<'a> {
    index: usize,
    last: usize,
    key: Option<&'a str>,
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Got<'a> {
    Value(&'a Value),
    Number(usize),
    Flag(bool),
    Text(&'a str),
    Nothing,
}

impl<'a> Rendering<'a> {
    fn nodes(&mut self, nodes: &'a [Node]) -> Result<(), RenderError> {
        for node in nodes {
            self.step()?;
            match node {
                Node::Text(text) => self.write(text)?,
                Node::Value(value) => self.value(self.resolve(&value.path))?,
                Node::Block(block) => self.block(block)?,
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), RenderError> {
        self.steps += 1;
        if self.steps > MOST_STEPS { Err(RenderError::Busy { most: MOST_STEPS }) } else { Ok(()) }
    }

    fn write(&mut self, text: &str) -> Result<(), RenderError> {
        if self.out.len() + text.len() > LONGEST {
            return Err(RenderError::Long { most: LONGEST });
        }
        self.out.push_str(text);
        Ok(())
    }

    fn value(&mut self, got: Got<'a>) -> Result<(), RenderError> {
        match got {
            Got::Value(Value::String(text)) => self.write(text),
            Got::Value(Value::Null) | Got::Nothing => Ok(()),
            Got::Value(Value::Array(list)) => {
                for (at, one) in list.iter().enumerate() {
                    self.step()?;
                    self.write(if at > 0 { ", " } else { "" })?;
                    self.value(Got::Value(one))?;
                }
                Ok(())
            }
            Got::Value(other @ (Value::Bool(_) | Value::Number(_) | Value::Object(_))) => {
                self.write(&other.to_string())
            }
            Got::Number(number) => self.write(&number.to_string()),
            Got::Flag(flag) => self.write(if flag { "true" } else { "false" }),
            Got::Text(text) => self.write(text),
        }
    }

    fn block(&mut self, block: &'a Block) -> Result<(), RenderError> {
        for arm in &block.arms {
            self.step()?;
            let got = self.resolve(&arm.on.path);
            let holds = got.is_truthy() != (arm.word == Word::Unless);
            match (holds, arm.word) {
                (false, _) => {}
                (true, Word::If | Word::Unless) => return self.nodes(&arm.body),
                (true, Word::Each) => return self.each(arm, got),
                (true, Word::With) => return self.within(arm, got.json(), None),
            }
        }
        self.nodes(&block.otherwise)
    }

    fn each(&mut self, arm: &'a Arm, got: Got<'a>) -> Result<(), RenderError> {
        match got.json() {
            Value::Array(list) => {
                for (index, value) in list.iter().enumerate() {
                    self.within(arm, value, Some(Turn { index, last: list.len() - 1, key: None }))?;
                }
            }
            Value::Object(map) => {
                for (index, (key, value)) in map.iter().enumerate() {
                    self.within(arm, value, Some(Turn { index, last: map.len() - 1, key: Some(key) }))?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    fn within(&mut self, arm: &'a Arm, value: &'a Value, turn: Option<Turn<'a>>) -> Result<(), RenderError> {
        self.step()?;
        self.frames.push(Frame { value, turn, params: &arm.params });
        let done = self.nodes(&arm.body);
        self.frames.pop();
        done
    }

    fn resolve(&self, path: &Path) -> Got<'a> {
        let innermost = self.frames.len() - 1;
        let level = match path.start {
            Start::Loop => return self.of_the_loop(path),
            Start::Here => match self.param(path) {
                Some(got) => return got.below(&path.names[1..]),
                None => innermost,
            },
            Start::This => innermost,
            Start::Root => 0,
            Start::Up(levels) => innermost.saturating_sub(levels),
        };
        Got::Value(self.frames[level].value).below(&path.names)
    }

    fn param(&self, path: &Path) -> Option<Got<'a>> {
        let name = path.names.first()?;
        self.frames.iter().rev().find_map(|frame| {
            let at = frame.params.iter().position(|param| param == name)?;
            Some(if at == 0 { Got::Value(frame.value) } else { frame.turn.map_or(Got::Nothing, Turn::place) })
        })
    }

    fn of_the_loop(&self, path: &Path) -> Got<'a> {
        let turn = self.frames.iter().rev().find_map(|frame| frame.turn);
        let (Some(turn), Some(name)) = (turn, path.names.first()) else { return Got::Nothing };
        match name.as_str() {
            "index" => Got::Number(turn.index),
            "first" => Got::Flag(turn.index == 0),
            "last" => Got::Flag(turn.index == turn.last),
            "key" => turn.place(),
            _ => Got::Nothing,
        }
    }
}

impl<'a> Turn<'a> {
    /// What a second name stands for: the key, or the number in a list.
    fn place(self) -> Got<'a> {
        self.key.map_or(Got::Number(self.index), Got::Text)
    }
}

impl<'a> Got<'a> {
    fn below(self, names: &[String]) -> Got<'a> {
        names.iter().fold(self, |got, name| match got {
            Got::Value(Value::Object(map)) => map.get(name).map_or(Got::Nothing, Got::Value),
            Got::Value(Value::Array(list)) if name == "length" => Got::Number(list.len()),
            Got::Value(Value::Array(list)) => {
                name.parse::<usize>().ok().and_then(|at| list.get(at)).map_or(Got::Nothing, Got::Value)
            }
            Got::Value(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_))
            | Got::Number(_)
            | Got::Flag(_)
            | Got::Text(_)
            | Got::Nothing => Got::Nothing,
        })
    }

    fn json(self) -> &'a Value {
        match self {
            Got::Value(value) => value,
            Got::Number(_) | Got::Flag(_) | Got::Text(_) | Got::Nothing => &Value::Null,
        }
    }

    /// As Handlebars has it: nothing, no, zero and what is empty are not.
    fn is_truthy(self) -> bool {
        match self {
            Got::Value(Value::Null) | Got::Nothing => false,
            Got::Value(Value::Bool(flag)) => *flag,
            Got::Value(Value::Number(number)) => number.as_f64() != Some(0.0),
            Got::Value(Value::String(text)) => !text.is_empty(),
            Got::Value(Value::Array(list)) => !list.is_empty(),
            Got::Value(Value::Object(map)) => !map.is_empty(),
            Got::Number(number) => number > 0,
            Got::Flag(flag) => flag,
            Got::Text(text) => !text.is_empty(),
        }
    }
}
