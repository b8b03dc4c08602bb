//! Which servers are spoken with.

/// Before this one, whoever reached the port could run commands on the machine.
const OLDEST: [u64; 3] = [1, 0, 216];

/// Why a server of this version is refused.
pub(super) fn refusal(version: &str) -> Option<String> {
    let oldest = OLDEST.map(|part| part.to_string()).join(".");
    match parts(version) {
        Some(parts) if parts >= OLDEST => None,
        Some(_) => Some(format!(
            "the OpenCode server is version {version}; before {oldest} whoever reaches its port can run commands on \
             the machine"
        )),
        None => {
            Some(format!("the OpenCode server says it is version `{version}`; ralph needs {oldest} or later"))
        }
    }
}

/// Whatever comes after the third number is none of the order.
fn parts(version: &str) -> Option<[u64; 3]> {
    let mut numbers = version.trim().trim_start_matches('v').splitn(3, '.');
    let (first, second, rest) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let third = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some([first.parse().ok()?, second.parse().ok()?, third.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn a_server_that_lets_anybody_run_commands_is_refused() {
        for good in ["1.0.216", "1.0.217", "1.18.33", "2.0.0-beta.1", "v1.1.0"] {
            assert_eq!(refusal(good), None, "{good}");
        }
        for old in ["1.0.215", "1.0.99", "0.15.31", "0.0.0-dev-202601010000"] {
            assert!(refusal(old).is_some_and(|why| why.contains("can run commands")), "{old}");
        }
        for unknown in ["", "local", "1.0", "x.y.z"] {
            assert!(refusal(unknown).is_some_and(|why| why.contains("1.0.216")), "{unknown}");
        }
    }
}
