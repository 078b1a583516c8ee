import { prepareName, type Settings } from './question.js';
import { questions } from './questions.js';

// Runs one variant: `node child.mjs <question> <group> <variant> <settings>`. The last line of its output has the figures.
const [questionName, groupName, variantName, settingsJson] = process.argv.slice(2);
const settings = JSON.parse(settingsJson ?? '') as Settings;
const group = questions
  .find((question) => question.name === questionName)
  ?.groups(settings)
  .find((candidate) => candidate.name === groupName);
const measure =
  variantName === prepareName ? group?.prepare : group?.variants.find((candidate) => candidate.name === variantName)?.measure;
if (!measure) throw new Error(`unknown variant: ${questionName}, ${groupName}: ${variantName}`);
process.stdout.write(`\n${JSON.stringify(await measure())}\n`);
