import { apply } from './apply.js';
import { askers } from './askers.js';
import { call } from './call.js';
import { canonical } from './canonical.js';
import { checks } from './checks.js';
import { codec } from './codec.js';
import { confirmed } from './confirmed.js';
import { detect } from './detect.js';
import { differences } from './differences.js';
import { extension } from './extension.js';
import { find } from './find.js';
import { has } from './has.js';
import { held } from './held.js';
import { hot } from './hot.js';
import { kernel } from './kernel.js';
import { load } from './load.js';
import { loadBrowser } from './load-browser.js';
import { many } from './many.js';
import { middleware } from './middleware.js';
import { oblivious } from './oblivious.js';
import { publish } from './publish.js';
import type { Question } from './question.js';
import { recents } from './recents.js';
import { screen } from './screen.js';
import { service } from './service.js';
import { start } from './start.js';
import { tenMillion } from './ten-million.js';
import { tools } from './tools.js';
import { wallet } from './wallet.js';

/** All questions, in the order of the table. */
export const questions: Question[] = [
  has,
  kernel,
  checks,
  many,
  askers,
  confirmed,
  codec,
  load,
  loadBrowser,
  apply,
  recents,
  held,
  tenMillion,
  canonical,
  detect,
  find,
  call,
  publish,
  differences,
  hot,
  screen,
  service,
  start,
  tools,
  wallet,
  middleware,
  oblivious,
  extension,
];
