import type { User } from '../../index.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { formatOption, printRows, type Row } from '../table.ts';

const usualLimit = 20;
const mostLimit = 1_000_000;

export const users: Command = {
  name: 'users',
  summary: 'List, search or create users',
  usage: '[list|create]',
  words: ['list', 'create'],
  arity: [0, 1],
  options: {
    search: {
      type: 'string',
      value: 'TEXT',
      description: 'only users with this text in a name, address or external id',
    },
    limit: { type: 'string', value: 'N', description: `at most N users; default: ${usualLimit}` },
    format: formatOption,
    'external-id': { type: 'string', value: 'ID', description: 'create: your own id of the user' },
    'first-name': { type: 'string', value: 'NAME', description: 'create' },
    'last-name': { type: 'string', value: 'NAME', description: 'create' },
    email: { type: 'string', value: 'ADDRESS', description: 'create' },
  },
  examples: [
    'pulsebus users --search ada',
    'pulsebus users create --external-id 42 --first-name Ada',
    'pulsebus users --limit 1000 --format csv > users.csv',
  ],
  async run(context) {
    const { args } = context;
    if (args[0] === 'create') return create(context);
    if (args[0] !== undefined && args[0] !== 'list')
      throw new UsageError('users is followed by list or create. `--search TEXT` searches.');
    return list(context);
  },
};

async function list(context: Context): Promise<void> {
  const { client, values, signal, output } = context;
  const limit = values.number('limit', mostLimit) ?? usualLimit;
  const search = values.text('search');
  const pages = client().users.list(
    { limit: Math.min(limit, 100), ...(search === undefined ? {} : { search }) },
    { signal },
  );
  const found = await pages.toArray(limit);
  print(context, found);
  const { total } = await pages;
  if (total > found.length) output.note(`${found.length} of ${total} users: --limit shows more.`);
  if (total === 0) output.note(search === undefined ? 'There are no users yet.' : 'No user matches.');
}

async function create(context: Context): Promise<void> {
  const { client, values, signal } = context;
  const fields = {
    external_user_id: 'external-id',
    first_name: 'first-name',
    last_name: 'last-name',
    email: 'email',
  };
  const given = Object.entries(fields).flatMap(([field, option]) => {
    const value = values.text(option);
    return value === undefined ? [] : [[field, value]];
  });
  print(context, [await client().users.create(Object.fromEntries(given), { signal })]);
}

function print(context: Context, found: readonly User[]): void {
  const rowOf = ({ id, external_user_id, first_name, last_name, email, created_at }: User): Row => ({
    id,
    external_id: external_user_id,
    name: [first_name, last_name].filter(Boolean).join(' ') || null,
    email,
    created_at,
  });
  printRows(context, found.map(rowOf), found);
}
