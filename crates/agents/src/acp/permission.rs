//! What an agent is answered when it asks whether it may.

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, SelectedPermissionOutcome,
};
use serde::Serialize;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Permissions {
    #[default]
    Allow,
    Deny,
    /// Denied, and the attempt ends with the question if the agent comes to nothing without it.
    Ask,
}

impl Permissions {
    pub fn name(self) -> &'static str {
        match self {
            Permissions::Allow => "allow",
            Permissions::Deny => "deny",
            Permissions::Ask => "ask",
        }
    }

    /// The option to choose. What holds only once comes first: nothing is remembered for later sessions.
    pub(super) fn answer(self, options: &[PermissionOption]) -> RequestPermissionOutcome {
        let kinds = match self {
            Permissions::Allow => [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways],
            Permissions::Deny | Permissions::Ask => {
                [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways]
            }
        };
        let of_kind = |kind: &PermissionOptionKind| options.iter().find(|option| option.kind == *kind);
        match kinds.iter().find_map(of_kind) {
            Some(option) => {
                RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
            }
            // An agent that does not offer the answer gets none.
            None => RequestPermissionOutcome::Cancelled,
        }
    }
}

impl std::str::FromStr for Permissions {
    type Err = String;

    fn from_str(text: &str) -> Result<Permissions, String> {
        [Permissions::Allow, Permissions::Deny, Permissions::Ask]
            .into_iter()
            .find(|one| one.name() == text)
            .ok_or_else(|| format!("`{text}` is none of allow, deny, ask"))
    }
}

#[cfg(test)]
mod tests {
    use super::Permissions;
    use agent_client_protocol::v1::schema::{
        PermissionOption, PermissionOptionKind, RequestPermissionOutcome,
    };

    #[test]
    fn the_answer_is_chosen_by_kind_and_the_narrower_one_first() {
        let option = |id: &str, kind| PermissionOption::new(id.to_owned(), id.to_owned(), kind);
        let all = [
            option("always", PermissionOptionKind::AllowAlways),
            option("once", PermissionOptionKind::AllowOnce),
            option("never", PermissionOptionKind::RejectAlways),
            option("no", PermissionOptionKind::RejectOnce),
        ];
        let check = |policy: Permissions, options: &[PermissionOption], expected: Option<&str>| {
            let chosen = match policy.answer(options) {
                RequestPermissionOutcome::Selected(selected) => Some(selected.option_id.0.to_string()),
                _ => None,
            };
            assert_eq!(chosen.as_deref(), expected, "{policy:?}");
        };
        check(Permissions::Allow, &all, Some("once"));
        check(Permissions::Allow, &all[..1], Some("always"));
        check(Permissions::Allow, &all[2..], None);
        check(Permissions::Deny, &all, Some("no"));
        check(Permissions::Ask, &all[..3], Some("never"));
        check(Permissions::Deny, &all[..2], None);
    }

    #[test]
    fn a_policy_reads_back_as_it_is_named() {
        for policy in [Permissions::Allow, Permissions::Deny, Permissions::Ask] {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        assert!("Allow".parse::<Permissions>().is_err());
    }
}
