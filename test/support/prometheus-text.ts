/** One sample: the name of its series and its value. */
type Sample = readonly [series: string, value: number];

const sampleLine =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?=[a-zA-Z_])|(?=\})))+\})? (\+Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const suffixes = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] };

/**
 * The samples of each family of a text in Prometheus' format, by its name. @throws if a family is there twice, a line is not of its
 * family, a series is there twice, or the buckets of a histogram are not cumulative up to its count
 */
export function parsePrometheusText(text: string): Map<string, Sample[]> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Sample[]>();
  for (const part of text.replaceAll(/^# UNIT .*\n/gm, '').split(/^(?=# HELP )/m)) {
    const [help = '', type = '', ...lines] = part.trimEnd().split('\n');
    const [, name = ''] = /^# HELP (\w+) \S.*$/.exec(help) ?? fail(help);
    const [, kind = ''] = new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`).exec(type) ?? fail(type);
    const allowed = Object.entries(suffixes).find(([one]) => one === kind)?.[1] ?? [];
    if (families.has(name)) fail(help);
    const samples = lines.map((line) => {
      const [, own = '', labels = '', value = ''] = sampleLine.exec(line) ?? fail(line);
      if (!allowed.some((suffix) => own === name + suffix)) fail(line);
      return [own + labels, Number(value)] as const;
    });
    if (new Set(samples.map(([series]) => series)).size !== samples.length) fail(help);
    if (kind === 'histogram') checkBuckets(name, samples);
    families.set(name, samples);
  }
  return families;
}

function checkBuckets(name: string, samples: readonly Sample[]): void {
  const values = new Map(samples);
  const counts = new Map<string, number>();
  for (const [series, value] of samples.filter(([one]) => one.startsWith(`${name}_bucket`))) {
    const [, labels = '', bound = ''] = /_bucket\{(.*?),?le="([^"]+)"\}$/.exec(series) ?? fail(series);
    if (value < (counts.get(labels) ?? 0)) fail(series);
    counts.set(labels, value);
    const count = values.get(`${name}_count${labels === '' ? '' : `{${labels}}`}`);
    if (bound === '+Inf' && value !== count) fail(series);
  }
}

function fail(line: string): never {
  throw new Error(`not in the format: ${line}`);
}
