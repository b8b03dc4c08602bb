function slug(title) {
  return title.toLowerCase();
}

module.exports = { slug };
