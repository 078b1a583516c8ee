import fc from 'fast-check';

/** Runs of each property; more from the environment for a long night, the seed to repeat a failure. */
export const propertyRuns: number = Number(process.env['PORTCULLIS_RUNS'] ?? 300);

const seed = process.env['PORTCULLIS_SEED'];
fc.configureGlobal({ numRuns: propertyRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) });
