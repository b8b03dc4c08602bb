fn divides(year: u32, by: u32) -> bool {
    year.is_multiple_of(by)
}

pub fn is_leap(year: u32) -> bool {
    divides(year, 4) && (!divides(year, 100) || divides(400))
}
