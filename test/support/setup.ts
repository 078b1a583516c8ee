import fc from 'fast-check';

/** Whether this is `npm run test:deep`, which runs the long tests. */
export const isDeep: boolean = process.env['PORTCULLIS_DEEP'] === '1';

/** Runs of each property. The environment can set a different count, and the seed to repeat a failure. */
export const propertyRuns: number = Number(process.env['PORTCULLIS_RUNS'] ?? (isDeep ? 3_000 : 100));

const seed = process.env['PORTCULLIS_SEED'];
fc.configureGlobal({ numRuns: propertyRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) });
