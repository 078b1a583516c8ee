/**
 * Writes the session in docs/tools.md, which an official client has with the built command line.
 *
 *   npm run docs:session
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { toolSession, withSession } from './tool-session.js';

const page = 'docs/tools.md';
const session = await toolSession('dist/cli.js', { PATH: process.env['PATH'] ?? '' });
writeFileSync(page, withSession(readFileSync(page, 'utf8'), session));
