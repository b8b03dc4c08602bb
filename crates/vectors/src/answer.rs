//! What an endpoint answers, read without trusting any of it.

use ralph_memory::Vector;
use serde::Deserialize;

/// No model has more.
const MOST_DIMENSIONS: usize = 16_384;

#[derive(Debug, Deserialize)]
struct Embeddings {
    data: Vec<Embedding>,
}

#[derive(Debug, Deserialize)]
struct Embedding {
    /// Those who leave it out keep the order.
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// The vectors in the order of the texts, or what is wrong with the answer.
pub(crate) fn vectors(body: &[u8], texts: usize, dimensions: Option<usize>) -> Result<Vec<Vector>, String> {
    let answer: Embeddings = serde_json::from_slice(body).map_err(|error| match body.trim_ascii_start() {
        [b'<', ..] => "it answered with a web page and not with JSON".to_owned(),
        _ => format!("its answer is not as expected: {error}"),
    })?;
    if answer.data.len() != texts {
        return Err(format!("it answered with {} vectors for {texts} texts", answer.data.len()));
    }
    let mut ordered: Vec<Option<Vector>> = vec![None; texts];
    let mut width = dimensions;
    for (one, at) in answer.data.into_iter().zip(0..) {
        let found = one.embedding.len();
        let wanted = *width.get_or_insert(found);
        if found != wanted || found == 0 || found > MOST_DIMENSIONS {
            return Err(format!(
                "it answered with a vector of {found} dimensions where {wanted} were expected"
            ));
        }
        let vector = Vector::of(&one.embedding)
            .ok_or("it answered with a vector of nothing but zeros, or of what is no number")?;
        let place = ordered.get_mut(one.index.unwrap_or(at)).filter(|place| place.is_none());
        *place.ok_or("it answered for one text twice")? = Some(vector);
    }
    Ok(ordered.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use ralph_memory::Vector;

    use super::vectors;

    fn read(body: &str, texts: usize, dimensions: Option<usize>) -> Result<Vec<Vector>, String> {
        vectors(body.as_bytes(), texts, dimensions)
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let body =
            r#"{"object":"list","data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}"#;
        let [x, y] = [[1.0, 0.0], [0.0, 1.0]].map(|one| Vector::of(&one).unwrap());
        assert_eq!(read(body, 2, None), Ok(vec![x.clone(), y.clone()]));
        assert_eq!(read(r#"{"data":[{"embedding":[1,0]},{"embedding":[0,1]}]}"#, 2, Some(2)), Ok(vec![x, y]));
    }

    #[test]
    fn an_answer_that_cannot_be_right_says_what_is_wrong_with_it() {
        for (body, texts, dimensions, why) in [
            (r#"{"data":[{"embedding":[1,0]}]}"#, 2, None, "1 vectors for 2 texts"),
            (r#"{"data":[{"embedding":[1,0]}]}"#, 1, Some(3), "2 dimensions where 3"),
            (r#"{"data":[{"embedding":[1]},{"embedding":[1,0]}]}"#, 2, None, "2 dimensions where 1"),
            (r#"{"data":[{"embedding":[]}]}"#, 1, None, "0 dimensions"),
            (r#"{"data":[{"embedding":[0,0]}]}"#, 1, None, "nothing but zeros"),
            (r#"{"data":[{"embedding":[1e39,0]}]}"#, 1, None, ""),
            (r#"{"data":[{"embedding":[NaN,0]}]}"#, 1, None, "not as expected"),
            (r#"{"data":[{"embedding":[null,0]}]}"#, 1, None, "not as expected"),
            (
                r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#,
                2,
                None,
                "one text twice",
            ),
            (r#"{"data":[{"index":7,"embedding":[1]}]}"#, 1, None, "one text twice"),
            (r#"{"error":"no such model"}"#, 1, None, "not as expected"),
            ("<html>", 1, None, "a web page"),
        ] {
            let found = read(body, texts, dimensions).unwrap_err();
            assert!(found.contains(why), "{body}: {found}");
        }
    }
}
