// Every failure with every call; `npm test` leaves some out.
import './file-bad-days.test.js';
