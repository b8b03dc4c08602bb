//! What Linear is asked, each by its name. The numbers keep a query below the complexity that Linear takes: what is in
//! a connection counts as often as it may have nodes.

pub(super) const ISSUES: (&str, &str) = (
    "RalphIssues",
    "query RalphIssues($filter: IssueFilter!, $after: String) {
  issues(filter: $filter, first: 50, after: $after, orderBy: createdAt) {
    nodes {
      id identifier number title description priority url
      state { id name type }
      parent { identifier }
      project { slugId name description }
      labels(first: 25) { nodes { name } pageInfo { hasNextPage endCursor } }
      inverseRelations(first: 25) {
        nodes { type issue { identifier state { id name type } } }
        pageInfo { hasNextPage endCursor }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}",
);

/// What did not fit above.
pub(super) const REST: (&str, &str) = (
    "RalphRest",
    "query RalphRest($id: String!) {
  issue(id: $id) {
    labels(first: 250) { nodes { name } pageInfo { hasNextPage endCursor } }
    inverseRelations(first: 250) {
      nodes { type issue { identifier state { id name type } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}",
);

pub(super) const TEAM: (&str, &str) = (
    "RalphTeam",
    "query RalphTeam($key: String!) {
  teams(filter: { key: { eqIgnoreCase: $key } }, first: 1) {
    nodes { name description }
    pageInfo { hasNextPage endCursor }
  }
}",
);

pub(super) const ISSUE: (&str, &str) = (
    "RalphIssue",
    "query RalphIssue($filter: IssueFilter!) {
  issues(filter: $filter, first: 1) {
    nodes {
      id identifier
      state { id name type }
      team { states(first: 250) { nodes { id name type position } pageInfo { hasNextPage endCursor } } }
    }
    pageInfo { hasNextPage endCursor }
  }
}",
);

pub(super) const COMMENTED: (&str, &str) = (
    "RalphCommented",
    "query RalphCommented($issue: String!, $comment: ID!) {
  issue(id: $issue) { comments(filter: { id: { eq: $comment } }, first: 1) { nodes { id } } }
}",
);

pub(super) const COMMENT: (&str, &str) = (
    "RalphComment",
    "mutation RalphComment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }",
);

pub(super) const MOVE: (&str, &str) = (
    "RalphMove",
    "mutation RalphMove($id: String!, $state: String!) {
  issueUpdate(id: $id, input: { stateId: $state }) { success }
}",
);
