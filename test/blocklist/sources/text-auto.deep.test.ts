import { test } from 'vitest';
import { followUpdates } from './list-updates.js';

test('a list that changes, and its format too, is followed through 1,000 updates', () => followUpdates(1_000, 8), 600_000);
