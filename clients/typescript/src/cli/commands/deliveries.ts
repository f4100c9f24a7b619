import type { Delivery } from '../../index.ts';
import { type Command, UsageError } from '../command.ts';
import { formatOption, printRows, type Row } from '../table.ts';

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
    printRows(context, found.map(rowOf), found);
    if (found.length === 0) output.note(`No delivery is ${status ?? 'dead'}.`);
  },
};

/** The columns of a delivery. */
export function rowOf({
  id,
  provider,
  kind,
  status,
  attempts,
  received_at,
  body_bytes,
  error,
}: Delivery): Row {
  return { id, provider, kind, status, attempts, received_at, body_bytes, error };
}
