import { setTimeout as sleep } from 'node:timers/promises';
import { type Change, type ChangePage, ConnectionError, type EventType, PulsebusError } from '../../index.ts';
import { sourceText, type TitleOf } from '../../source-text.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { readStored, writeStored } from '../credentials.ts';
import { sentenceOf } from '../failure.ts';
import { findUser } from '../find-user.ts';
import { forward, targetOf } from '../forward.ts';
import { type Colour, jsonLine, printable } from '../output.ts';
import { providerTitles } from '../provider-titles.ts';
import { newSecret } from '../sign.ts';
import { timeOf } from '../times.ts';

const waitSeconds = 25;
const pageSize = 100;
const longestPauseMs = 30_000;
const mostCount = 1_000_000_000;

export const listen: Command = {
  name: 'listen',
  summary: 'Print changes as they happen, and forward them as signed webhooks',
  usage: '',
  arity: [0, 0],
  options: {
    to: {
      type: 'string',
      value: 'URL',
      description: 'also posts each change to an address of this machine, signed',
    },
    user: { type: 'string', value: 'USER', description: 'only changes of this user' },
    types: {
      type: 'string',
      value: 'LIST',
      description: 'only these event types: workout.created,sleep.created',
    },
    since: { type: 'string', value: 'TIME', description: 'begins with earlier changes: 1h, 2d, or a time' },
    count: { type: 'string', value: 'N', description: 'ends after N changes' },
    json: { type: 'boolean', description: 'prints the changes as JSON, one per line' },
    'print-secret': { type: 'boolean', description: 'prints the signing secret of --to and ends' },
  },
  notes: `The messages of --to have the headers and bodies of webhooks (Standard Webhooks 1.0). Their secret belongs to this machine and
stays the same. They are sent once, in order, and without the records of include_data.`,
  examples: [
    'pulsebus listen --types workout.created,workout.updated',
    'pulsebus listen --to http://localhost:4000/hooks',
    'pulsebus listen --json --since 1h --count 10',
  ],
  endsBySignal: true,
  async run(context) {
    const { values, output } = context;
    if (values.flag('print-secret')) return output.line(listenSecret());
    const text = values.text('to');
    const to = text === undefined ? null : targetOf(text);
    const query = await queryOf(context);
    const most = values.number('count', mostCount) ?? Number.POSITIVE_INFINITY;
    const secret = to === null ? '' : listenSecret();
    if (to !== null) output.note(`Forwarding to ${to}, signed with ${secret}`);
    const titleOf = await providerTitles(context);
    output.note('Waiting for changes. Ctrl-C ends.');
    let seen = 0;
    for await (const change of changes(context, query)) {
      if (seen >= most) return;
      await show(context, change, { to, secret, titleOf });
      seen += 1;
      if (seen >= most) return;
    }
  },
};

const isEventType = (text: string): text is EventType => /^[a-z_]+\.[a-z_]+$/.test(text);

interface Query {
  readonly since: string;
  readonly user_id?: string;
  readonly types?: EventType[];
}

async function queryOf({ client, values, signal }: Context): Promise<Query> {
  const [user, names] = [values.text('user'), values.list('types')];
  const types = names?.filter(isEventType);
  if (types?.length !== names?.length)
    throw new UsageError('--types is a list of event types: workout.created,sleep.created');
  return {
    since: timeOf(values.text('since') ?? '0s', Date.now()),
    ...(user === undefined ? {} : { user_id: (await findUser(client(), user, signal)).id }),
    ...(types === undefined ? {} : { types }),
  };
}

/** Changes without an end. Later failures of the server or the network are bridged; the first request must succeed. */
async function* changes(context: Context, query: Query): AsyncGenerator<Change, void, undefined> {
  let cursor: string | null = null;
  let pauseMs = 1000;
  for (;;) {
    const page: ChangePage | Error = await read(context, query, cursor);
    if (page instanceof Error) {
      if (cursor === null) throw page;
      context.output.note(`${sentenceOf(page)} Trying again in ${pauseMs / 1000} s.`);
      await sleep(pauseMs, undefined, { signal: context.signal });
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    } else {
      pauseMs = 1000;
      cursor = page.pagination.next_cursor;
      yield* page.data;
    }
  }
}

/** A page; the first one does not wait, so that a failure shows at once. A temporary failure is returned. */
async function read(
  { client, signal }: Context,
  query: Query,
  cursor: string | null,
): Promise<ChangePage | Error> {
  const start = cursor === null ? {} : { cursor, wait_seconds: waitSeconds };
  try {
    return await client().webhooks.changes({ ...query, ...start, limit: pageSize }, { signal });
  } catch (error) {
    if (error instanceof ConnectionError) return error;
    if (error instanceof PulsebusError && (error.status >= 500 || error.status === 429)) return error;
    throw error;
  }
}

async function show(
  { values, output }: Context,
  change: Change,
  { to, secret, titleOf }: { readonly to: string | null; readonly secret: string; readonly titleOf: TitleOf },
): Promise<void> {
  output.line(values.flag('json') ? jsonLine(change) : lineOf(change, output.colour, titleOf));
  if (to !== null) output.note(`  ${await forward(to, change, secret)}  POST ${to}`);
}

const colours: Readonly<Record<string, Colour>> = {
  created: 'green',
  deleted: 'red',
  revoked: 'red',
  expired: 'red',
  disabled: 'red',
};
const fields = [
  'series_type',
  'type',
  'data_type',
  'date',
  'start_time',
  'end_time',
  'source',
  'status',
  'reason',
  'id',
];

function lineOf(
  { type, timestamp, data }: Change,
  colour: Context['output']['colour'],
  titleOf: TitleOf,
): string {
  const shownData: Readonly<Record<string, unknown>> = { ...data, source: sourceIn(data, titleOf) };
  const name = data.external_user_id ?? data.user_id;
  const details = fields.flatMap((field) => {
    const value = shownData[field];
    return typeof value === 'string' ? [value] : [];
  });
  const shown = [name, ...details].map((value) => printable(String(value))).join('  ');
  const event = printable(type).padEnd(24);
  return `${printable(timestamp)}  ${colour(colours[type.split('.')[1] ?? ''] ?? 'cyan', event)}  ${shown}`;
}

function sourceIn({ provider, device }: Change['data'], titleOf: TitleOf): string | null {
  if (typeof provider !== 'string') return null;
  return sourceText(titleOf, { provider, device: typeof device === 'string' ? device : null });
}

/** The secret of this machine; it is made at the first use. */
function listenSecret(): string {
  const stored = readStored();
  if (stored.listenSecret !== undefined) return stored.listenSecret;
  const secret = newSecret();
  writeStored({ ...stored, listenSecret: secret });
  return secret;
}
