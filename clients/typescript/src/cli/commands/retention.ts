import type { Retention, RetentionChange } from '../../index.ts';
import { type Context, type Option, UsageError } from '../command.ts';
import { printRows } from '../table.ts';

/** The options of `projects retention`. */
export const retentionOptions = {
  samples: { type: 'string', value: 'DAYS', description: 'retention: days of samples, or all' },
  types: {
    type: 'string',
    value: 'TYPE=DAYS,…',
    description: 'retention: days of series types, in place of --samples',
  },
  events: { type: 'string', value: 'DAYS', description: 'retention: days of other events, or all' },
  yes: { type: 'boolean', description: 'retention: save the rule; without it, only count what it deletes' },
} as const satisfies Readonly<Record<string, Option>>;

/** Shows the retention rule of the project, counts what another one deletes, or saves that one. */
export async function retention(context: Context): Promise<void> {
  const { timeseries } = context.client();
  const call = { signal: context.signal };
  const stored = await timeseries.retention(call);
  const change = changeOf(context, stored);
  if (change === null) {
    if (context.values.flag('yes')) throw new UsageError('--yes saves --samples, --types or --events.');
    return printRule(context, stored);
  }
  if (context.values.flag('yes')) return printRule(context, await timeseries.changeRetention(change, call));
  const { samples, events } = await timeseries.previewRetention(change, call);
  const rows = [...samples, ...events];
  printRows(context, rows, rows);
  if (rows.length === 0) context.output.note('The rule deletes nothing now.');
  context.output.note('Nothing was changed: --yes saves the rule.');
}

// What is not given stays as it is stored.
function changeOf({ values }: Context, { samples, events_days }: Retention): RetentionChange | null {
  const [days, types, events] = [values.text('samples'), values.list('types'), values.text('events')];
  if (days === undefined && types === undefined && events === undefined) return null;
  return {
    samples: {
      default_days: days === undefined ? samples.default_days : daysOf('--samples', days),
      types: types === undefined ? samples.types : typesOf(types),
    },
    events_days: events === undefined ? events_days : daysOf('--events', events),
  };
}

function typesOf(given: readonly string[]): { [type: string]: number | null } {
  const entries = given.filter((one) => one !== '').map((one) => one.split('='));
  return Object.fromEntries(entries.map(([type = '', days = '']) => [type, daysOf(`--types ${type}`, days)]));
}

function daysOf(option: string, text: string): number | null {
  if (text === 'all') return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a number of days, or all.`);
}

function printRule(context: Context, rule: Retention): void {
  const { samples, events_days, installation_days } = rule;
  const types = Object.entries(samples.types)
    .map(([type, days]) => ({ data: type, days: shown(days) }))
    .sort((a, b) => a.data.localeCompare(b.data));
  const rows = [
    { data: 'samples', days: shown(samples.default_days) },
    ...types,
    { data: 'events', days: shown(events_days) },
    { data: 'samples, by the installation', days: shown(installation_days) },
  ];
  printRows(context, rows, [rule]);
}

const shown = (days: number | null | undefined) => days ?? 'all';
