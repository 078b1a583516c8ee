// The whole series; `npm test` runs a sample of it.
import './file-processes.test.js';
