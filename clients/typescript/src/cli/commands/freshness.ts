import type { ConnectionFreshness, FreshnessRow, FreshnessState } from '../../index.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { findUser } from '../find-user.ts';
import { providerTitles } from '../provider-titles.ts';
import { formatOption, isTable, printRows, type Row } from '../table.ts';
import { providerOf, providerOption, titled } from './connect.ts';

const states: readonly FreshnessState[] = ['stale', 'late', 'silent', 'paused', 'fresh'];
const usualLimit = 100;
const mostLimit = 100_000;

export const freshness: Command = {
  name: 'freshness',
  summary: "List data that is stale or in another state, or show that of a user's connections",
  usage: '[user]',
  arity: [0, 1],
  options: {
    state: {
      type: 'string',
      value: 'STATE',
      description: `without a user: ${states.join(', ')}; default: stale`,
      choices: states,
    },
    provider: { ...providerOption, description: `without a user: only of ${providerOption.description}` },
    limit: {
      type: 'string',
      value: 'N',
      description: `without a user: at most N kinds of data; default: ${usualLimit}`,
    },
    format: formatOption,
  },
  examples: [
    'pulsebus freshness',
    `pulsebus freshness --state late --provider ${providerOption.choices[0]}`,
    'pulsebus freshness 42',
  ],
  async run(context) {
    const [name] = context.args;
    return name === undefined ? list(context) : show(context, name);
  },
};

async function list(context: Context): Promise<void> {
  const { client, values, signal, output } = context;
  const limit = values.number('limit', mostLimit) ?? usualLimit;
  const name = values.text('state') ?? 'stale';
  const state = states.find((one) => one === name);
  if (state === undefined) throw new UsageError(`--state is one of ${states.join(', ')}.`);
  const provider = values.text('provider');
  const filter =
    provider === undefined ? { state } : { state, provider: await providerOf(context, provider) };
  const query = { ...filter, limit: Math.max(1, Math.min(limit, 500)) };
  const found = await client().freshness.list(query, { signal }).toArray(limit);
  await print(context, found.map(rowOf), found);
  if (found.length === 0) output.note(`No data is ${state}.`);
}

async function show(context: Context, name: string): Promise<void> {
  const { client, values, signal, output } = context;
  const given = ['state', 'provider', 'limit'].find((option) => values.text(option) !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} is for the list, without a user.`);
  const { id: user_id } = await findUser(client(), name, signal);
  const { data } = await client().freshness.ofUser({ user_id }, { signal });
  await print(context, data.map(connectionRowOf), data);
  if (data.length === 0) output.note('No data is expected of this user: no account is connected.');
}

async function print(context: Context, rows: readonly Row[], json: readonly unknown[]): Promise<void> {
  const isTitled = isTable(context) && rows.length > 0;
  printRows(context, isTitled ? rows.map(titled(await providerTitles(context))) : rows, json);
}

function rowOf({ user_id, provider, data_type, state, since, last_arrival_at, repairs }: FreshnessRow): Row {
  return { user_id, provider, data_type, state, since, last_arrival_at, repairs };
}

function connectionRowOf({ provider, state, action, data_types, gaps }: ConnectionFreshness): Row {
  const kinds = (wanted: FreshnessState) =>
    data_types.flatMap((one) => (one.state === wanted ? [one.data_type] : [])).join(' ') || null;
  return {
    provider,
    state,
    stale: kinds('stale'),
    late: kinds('late'),
    paused: kinds('paused'),
    gaps: gaps.length,
    action,
  };
}
