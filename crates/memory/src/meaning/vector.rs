//! A direction, in few bytes.

/// The longest component is 127 or -127: what is lost by that changes the cosine of two vectors by less than a hundredth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Vec<i8>);

impl Vector {
    /// None where it has no direction: no components, none but zeros, or something that is no number.
    pub fn of(components: &[f32]) -> Option<Vector> {
        let longest = components.iter().map(|one| one.abs()).fold(0.0, f32::max);
        let is_sound = components.iter().all(|one| one.is_finite());
        if !is_sound || longest <= f32::MIN_POSITIVE {
            return None;
        }
        Some(Vector(components.iter().map(|one| (one / longest * 127.0).round() as i8).collect()))
    }

    /// A text that says nothing is near nothing.
    pub fn nowhere(dimensions: usize) -> Vector {
        Vector(vec![0; dimensions])
    }

    pub fn dimensions(&self) -> usize {
        self.0.len()
    }

    pub(super) fn into_components(self) -> Vec<i8> {
        self.0
    }

    /// The cosine, from -1 to 1; nothing where one of both has no direction.
    pub(crate) fn cosine(&self, other: &[i8]) -> Option<f64> {
        let (mut dot, mut own, mut others) = (0i32, 0i32, 0i32);
        for (a, b) in self.0.iter().zip(other) {
            let (a, b) = (i32::from(*a), i32::from(*b));
            dot += a * b;
            own += a * a;
            others += b * b;
        }
        let lengths = f64::from(own).sqrt() * f64::from(others).sqrt();
        (lengths > 0.0).then(|| f64::from(dot) / lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::Vector;

    fn cosine(a: &[f32], b: &[f32]) -> f64 {
        let b = Vector::of(b).unwrap().into_components();
        Vector::of(a).unwrap().cosine(&b).unwrap()
    }

    #[test]
    fn only_the_direction_counts() {
        assert!((cosine(&[1.0, 0.0], &[1000.0, 0.0]) - 1.0).abs() < 1e-9);
        assert!((cosine(&[1e-20, 0.0], &[-1e-20, 0.0]) + 1.0).abs() < 1e-9);
        assert!(cosine(&[1.0, 0.0], &[0.0, 5.0]).abs() < 1e-9);
    }

    #[test]
    fn few_bytes_lose_less_than_a_hundredth_of_a_cosine() {
        let wave = |by: f32| (0..256).map(|at| (at as f32 * by).sin()).collect::<Vec<f32>>();
        let exact = |a: &[f32], b: &[f32]| {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        for (one, other) in [(0.1, 0.11), (0.1, 0.5), (1.3, 1.301)] {
            let (a, b) = (wave(one), wave(other));
            assert!((cosine(&a, &b) - exact(&a, &b)).abs() < 0.01, "{one} {other}");
        }
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        for none in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(Vector::of(none), None, "{none:?}");
        }
        assert_eq!(Vector::of(&[1.0]).unwrap().cosine(Vector::nowhere(1).into_components().as_slice()), None);
    }
}
