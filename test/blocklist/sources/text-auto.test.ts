import { test } from 'vitest';
import { followUpdates } from './list-updates.js';

test('a list that changes, and its format too, is followed through updates, faults and restarts', () => followUpdates(8, 7));
