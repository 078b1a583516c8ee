import { call } from './call.js';
import { canonical } from './canonical.js';
import { checks } from './checks.js';
import { codec } from './codec.js';
import { has } from './has.js';
import { kernel } from './kernel.js';
import { publish } from './publish.js';
import type { Question } from './question.js';
import { service } from './service.js';

/** In the order of the table. */
export const questions: Question[] = [has, kernel, checks, codec, canonical, call, publish, service];
