// The whole series; `npm test` runs a sample of it.
import './bad-days-files.test.js';
