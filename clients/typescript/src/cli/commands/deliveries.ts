import type { Delivery } from '../../index.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { providerTitles } from '../provider-titles.ts';
import { formatOption, isTable, printRows, type Row } from '../table.ts';
import { titled } from './connect.ts';

const states = ['ready', 'working', 'done', 'dead'] as const;
const usualLimit = 20;
const mostLimit = 100_000;

export const deliveries: Command = {
  name: 'deliveries',
  summary: 'List deliveries of the providers, newest first',
  usage: '',
  arity: [0, 0],
  options: {
    status: {
      type: 'string',
      value: 'STATE',
      description: `${states.join(', ')}; default: dead`,
      choices: states,
    },
    limit: { type: 'string', value: 'N', description: `at most N deliveries; default: ${usualLimit}` },
    format: formatOption,
  },
  examples: [
    'pulsebus deliveries --status dead',
    'pulsebus deliveries --status dead --format json | jq -r .id | xargs pulsebus replay',
  ],
  async run(context) {
    const { client, values, signal, output } = context;
    const limit = values.number('limit', mostLimit) ?? usualLimit;
    const name = values.text('status');
    const status = states.find((state) => state === name);
    if (name !== status) throw new UsageError(`--status is one of ${states.join(', ')}.`);
    const query = { limit: Math.max(1, Math.min(limit, 100)), ...(status === undefined ? {} : { status }) };
    const found = await client().deliveries.list(query, { signal }).toArray(limit);
    await printDeliveries(context, found);
    if (found.length === 0) output.note(`No delivery is ${status ?? 'dead'}.`);
  },
};

/** Prints deliveries in the format that was asked for. */
export async function printDeliveries(context: Context, found: readonly Delivery[]): Promise<void> {
  const rows = found.map(rowOf);
  const isTitled = isTable(context) && rows.length > 0;
  printRows(context, isTitled ? rows.map(titled(await providerTitles(context))) : rows, found);
}

function rowOf({ id, provider, kind, status, attempts, received_at, body_bytes, error }: Delivery): Row {
  return { id, provider, kind, status, attempts, received_at, body_bytes, error };
}
