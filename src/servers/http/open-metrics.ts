import { requireIterable } from '../../core/errors.js';
import { privateHeaders } from './refusal-response.js';

/** Labels of a sample. Never what was checked, nor anything else that a client can invent: each value is a series that is kept. */
export type MetricLabels = Readonly<Record<string, string>>;

/** A metric family. */
export interface Metric {
  /** Without the suffix `_total` of a counter. It ends with the unit if there is one. */
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly unit?: 'seconds' | 'bytes' | undefined;
  readonly help: string;
  readonly samples: readonly (readonly [labels: MetricLabels, value: number])[];
}

/** A gauge; `samples` may be a single value. The names of this package begin with `portcullis_`. */
export function gauge(name: string, help: string, samples: Metric['samples'] | number, unit?: Metric['unit']): Metric {
  const all = typeof samples === 'number' ? [[{}, samples] as const] : samples;
  return { name: `portcullis_${name}`, type: 'gauge', unit, help, samples: all };
}

export function counter(name: string, help: string, samples: Metric['samples']): Metric {
  return { name: `portcullis_${name}`, type: 'counter', help, samples };
}

const contentType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * A response in the text format of OpenMetrics 1.0, which Prometheus reads. Adds memory and age of the process, on platforms that have one.
 */
export function openMetrics(metrics: readonly Metric[]): Response {
  requireIterable(metrics, 'metrics');
  const text = `${[...metrics, ...processMetrics()].map(metricText).join('')}# EOF\n`;
  return new Response(text, { headers: { ...privateHeaders, 'content-type': contentType } });
}

function metricText({ name, type, unit, help, samples }: Metric): string {
  const sample = type === 'counter' ? `${name}_total` : name;
  const head = [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
  ];
  const lines = samples.map(([labels, value]) => `${sample}${labelsOf(labels)} ${numberOf(value)}`);
  return `${[...head, ...lines].join('\n')}\n`;
}

function labelsOf(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** `+Inf` and `-Inf` in place of JavaScript's names. */
const numberOf = (value: number): string => String(value).replace(/^(-?)Infinity$/, (_, sign) => `${sign || '+'}Inf`);

const escaped = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');

function processMetrics(): readonly Metric[] {
  const own = (globalThis as { process?: Partial<Pick<NodeJS.Process, 'memoryUsage' | 'uptime'>> }).process;
  if (typeof own?.memoryUsage !== 'function' || typeof own.uptime !== 'function') return [];
  return [
    gauge('process_memory_bytes', 'Resident memory of the process, in bytes.', own.memoryUsage().rss, 'bytes'),
    gauge('process_uptime_seconds', 'Time since the process started.', own.uptime(), 'seconds'),
  ];
}
