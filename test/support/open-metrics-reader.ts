/** A strict reader of the OpenMetrics 1.0 text format, written from its specification alone (ABNF and "Overall Structure"). */
export interface ReadMetric {
  readonly type: string;
  readonly unit: string | undefined;
  readonly help: string | undefined;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const number = /^[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)$/;

function unescaped(text: string): string {
  const rest = text.replace(/\\[\\n"]/g, '');
  if (/[\\"\n]/.test(rest)) throw new Error(`not escaped: ${text}`);
  return text.replace(/\\([\\n"])/g, (_, mark: string) => (mark === 'n' ? '\n' : mark));
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const found = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\.)*)"(,(?!$)|$)/.exec(rest);
    if (found === null) throw new Error(`malformed labels: ${text}`);
    const [all, name = '', value = ''] = found;
    if (Object.hasOwn(labels, name)) throw new Error(`repeated label: ${name}`);
    labels[name] = unescaped(value);
    rest = rest.slice(all.length);
  }
  return labels;
}

/** Throws for anything that the specification forbids. */
export function readOpenMetrics(text: string): Map<string, ReadMetric> {
  if (!text.endsWith('# EOF\n')) throw new Error('the text does not end with # EOF');
  const lines = text.split('\n').slice(0, -2);
  const families = new Map<
    string,
    { type: string; unit: string | undefined; help: string | undefined; samples: ReadMetric['samples'][number][] }
  >();
  const series = new Set<string>();
  let current = '';
  for (const line of lines) {
    const descriptor = /^# (TYPE|UNIT|HELP) (\S+)(?: (.*))?$/.exec(line);
    if (descriptor !== null) {
      const [, kind, name = '', value = ''] = descriptor;
      if (!metricName.test(name)) throw new Error(`malformed name: ${name}`);
      if (name !== current && families.has(name)) throw new Error(`interleaved family: ${name}`);
      current = name;
      const family = families.get(name) ?? { type: 'unknown', unit: undefined, help: undefined, samples: [] };
      families.set(name, family);
      if (family.samples.length > 0) throw new Error(`a descriptor after samples: ${line}`);
      if (kind === 'TYPE') {
        if (!['gauge', 'counter'].includes(value)) throw new Error(`unexpected type: ${line}`);
        if (value === 'counter' && name.endsWith('_total'))
          throw new Error(`a counter's family must not end with _total: ${name}`);
        family.type = value;
      } else if (kind === 'UNIT') {
        if (!name.endsWith(`_${value}`)) throw new Error(`the name lacks its unit: ${name}`);
        family.unit = value;
      } else family.help = unescaped(value);
      continue;
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (\S+)$/.exec(line);
    if (sample === null) throw new Error(`malformed line: ${line}`);
    const [, name = '', labels = '', value = ''] = sample;
    const family = families.get(current);
    if (family === undefined || name !== (family.type === 'counter' ? `${current}_total` : current))
      throw new Error(`out of place: ${line}`);
    if (!number.test(value) && !['NaN', '+Inf', '-Inf'].includes(value)) throw new Error(`malformed number: ${line}`);
    const read = { labels: labelsOf(labels), value: Number(value.replace('Inf', 'Infinity')) };
    if (family.type === 'counter' && !(read.value >= 0)) throw new Error(`a counter below 0: ${line}`);
    const key = `${name} ${JSON.stringify(Object.entries(read.labels).sort())}`;
    if (series.has(key)) throw new Error(`repeated series: ${line}`);
    series.add(key);
    family.samples.push(read);
  }
  return families;
}
