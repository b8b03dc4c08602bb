pub mod leap;
pub mod slug;
pub mod total;
