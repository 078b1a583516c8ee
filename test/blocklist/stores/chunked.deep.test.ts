// All variants; `npm test` leaves one out.
import './chunked.test.js';
