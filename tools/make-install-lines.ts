import { writeFileSync } from 'node:fs';
import { installLines } from './install-lines.js';

for (const { file, text, made } of installLines()) if (made !== text) writeFileSync(file, made);
