export default [
  {
    files: ['src/**/*.js'],
    rules: { 'no-unused-vars': 'error', eqeqeq: 'error', 'prefer-const': 'error' },
  },
];
