import { describe, expect, test } from 'vitest';
import { serviceSource } from '../../../src/blocklist/sources/service-source.js';
import { codeOf, listening, relaying } from './harness.js';
import { testListFaults } from './list-operation.js';
import { testHostFaults } from './published-list.js';
import { isSilent, serviceFaults, serviceSteps, testServiceFaults } from './service-faults.js';

describe('the service source', () => {
  testServiceFaults('snapshot');
  testServiceFaults('recent');
  testServiceFaults('confirm');
  testServiceFaults('samples');

  test.each(Object.keys(serviceSteps).filter((step) => step !== 'samples') as (keyof typeof serviceSteps)[])(
    'through a relay reports every fault of the service: %s',
    async (step) => {
      for (const kind of Object.keys(serviceFaults) as (keyof typeof serviceFaults)[]) {
        const { service, url } = await listening();
        const [path, run] = serviceSteps[step];
        const baseUrl = await relaying(url, isSilent(kind) ? { timeoutMs: 300, artifactTimeoutMs: 300 } : {});
        const source = serviceSource({ baseUrl });
        service.faults.add({ kind, on: path, times: 100, location: 'http://elsewhere.invalid/' });
        // The relay accepts JSON with the content type of HTML, but no such file.
        if (kind === 'wrong-type' && step !== 'snapshot' && step !== 'recent') await run(source);
        else expect(['INTERNAL_SERVER_ERROR', 'TIMEOUT'], kind).toContain(await codeOf(run(source)));
      }
    },
  );
});

describe('the list source', () => {
  testListFaults('snapshot');
});

describe('the published source', () => {
  testHostFaults('version');
  testHostFaults('recent');
  testHostFaults('shard');
});
