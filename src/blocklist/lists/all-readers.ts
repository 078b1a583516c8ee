import { allAlgorithms } from '../../core/algorithms/all-algorithms.js';
import { families } from '../../core/assets/all-families.js';
import type { ListReaders } from './list-rules.js';

/** Every asset family and every algorithm. */
export const allReaders: ListReaders = { families, algorithms: allAlgorithms };
