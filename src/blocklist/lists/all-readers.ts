import { allAlgorithms } from '../../core/algorithms/all-algorithms.js';
import { allFamilies } from '../../core/assets/all-families.js';
import type { ListReaders } from './list-rules.js';

/** Every asset family and every algorithm. */
export const allReaders: ListReaders = { families: allFamilies, algorithms: allAlgorithms };
