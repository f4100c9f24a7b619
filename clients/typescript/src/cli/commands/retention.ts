import type { Retention, RetentionChange } from '../../index.ts';
import { type Context, type Option, UsageError } from '../command.ts';
import { printRows } from '../table.ts';

/** The options of `projects retention`. */
export const retentionOptions = {
  samples: { type: 'string', value: 'DAYS', description: 'retention: days of samples, or all' },
  events: { type: 'string', value: 'DAYS', description: 'retention: days of other events, or all' },
  yes: { type: 'boolean', description: 'retention: save the days; without it, only count what they delete' },
} as const satisfies Readonly<Record<string, Option>>;

/** Shows how long data of the project is kept, counts what other days delete, or saves them. */
export async function retention(context: Context): Promise<void> {
  const { timeseries } = context.client();
  const call = { signal: context.signal };
  const change = changeOf(context);
  if (change === null) {
    if (context.values.flag('yes')) throw new UsageError('--yes saves --samples or --events.');
    return printRule(context, await timeseries.retention(call));
  }
  if (context.values.flag('yes')) return printRule(context, await timeseries.changeRetention(change, call));
  const preview = await timeseries.previewRetention(change, call);
  const rows = Object.entries(preview).map(([data, deleted]) => ({ data, deleted }));
  printRows(context, rows, [preview]);
  context.output.note('Nothing was changed: --yes saves the days.');
}

// What is not given stays as it is stored.
function changeOf({ values }: Context): RetentionChange | null {
  const [samples, events] = [values.text('samples'), values.text('events')];
  if (samples === undefined && events === undefined) return null;
  return {
    ...(samples === undefined ? {} : { samples_days: daysOf('--samples', samples) }),
    ...(events === undefined ? {} : { events_days: daysOf('--events', events) }),
  };
}

function daysOf(option: string, text: string): number | null {
  if (text === 'all') return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a number of days, or all.`);
}

function printRule(context: Context, rule: Retention): void {
  const rows = [
    { data: 'samples', days: rule.samples_days ?? 'all' },
    { data: 'events', days: rule.events_days ?? 'all' },
    { data: 'samples, by the installation', days: rule.installation_days ?? 'all' },
  ];
  printRows(context, rows, [rule]);
}
