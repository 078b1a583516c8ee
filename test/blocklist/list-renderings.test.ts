import { test } from 'vitest';
import { expectSameLists } from '../support/same-lists.js';

test('lists the same hosts from every format, whose name is recognized', () => expectSameLists(0, 6));
