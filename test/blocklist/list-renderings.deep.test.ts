import { test } from 'vitest';
import { expectSameLists } from '../support/same-lists.js';

test('lists the same hosts from every format, in 400 spellings', () => expectSameLists(6, 406), 300_000);
