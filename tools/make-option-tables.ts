import { writeFileSync } from 'node:fs';
import { optionTables } from './option-tables.js';

for (const { file, text, made } of optionTables()) if (made !== text) writeFileSync(file, made);
