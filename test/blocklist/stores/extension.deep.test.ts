// The whole contract; `npm test` runs a third of it in the browser.
import './extension.test.js';
