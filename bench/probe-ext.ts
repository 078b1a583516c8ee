import { extension } from './extension.js';
import { Results } from './question.js';
import { mkdtempSync } from 'node:fs';
const settings = { quick: process.argv[2] === 'quick', rounds: 1, scratch: mkdtempSync('/tmp/extprobe/s-'), chromium: '/usr/bin/chromium' };
const results = new Results();
for (const g of extension.groups(settings)) for (const v of g.variants) { const f = await v.measure(); console.log(g.name, v.name, f); results.add(g.name, v.name, f); }
for (const r of extension.rows(results, settings)) console.log(r.what, r.value.median.toFixed(1), r.budget ?? '');
