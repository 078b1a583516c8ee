#!/usr/bin/env node
// Imported when it is run, so that a file which shares code with the command does not run it.
void import('./process.js').then(({ runProcess }) => runProcess());
