import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { CreateDestinationRequest, Destination, DestinationType } from '../../index.ts';
import { type Command, type Context, Failure, UsageError } from '../command.ts';
import { formatOption, printRows } from '../table.ts';

const begins = ['beginning', 'now'] as const;
const kinds: readonly Destination['kind'][] = ['s3', 'postgres', 'jetstream'];

/** What is said of a change that only --yes makes. */
const consequences: Readonly<Record<string, string>> = {
  reset: 'Everything is written again.',
  delete: 'Nothing is copied from then on, and what was written stays.',
};

export const destinations: Command = {
  name: 'destinations',
  summary: 'List, add, pause, resume, reset or delete copies of all data in stores of your own',
  usage: '[list|show ID|add KIND|pause ID|resume ID|reset ID|delete ID]',
  words: ['list', 'show', 'add', 'pause', 'resume', 'reset', 'delete'],
  arity: [0, 2],
  options: {
    settings: {
      type: 'string',
      value: 'FILE',
      description: 'add: a JSON file with the settings and secrets; -: the input',
    },
    types: { type: 'string', value: 'TYPE,…', description: 'add: only these types; default: all' },
    description: { type: 'string', value: 'TEXT', description: 'add: a note' },
    from: {
      type: 'string',
      value: 'WHEN',
      description: `add, reset: ${begins.join(' or ')}; default: ${begins[0]}`,
      choices: begins,
    },
    yes: { type: 'boolean', description: 'reset, delete: do it; without it, nothing is changed' },
    format: formatOption,
  },
  notes: `The kinds are ${kinds.join(', ')}. Secrets are read from a file or the input, never from an argument.`,
  examples: [
    'pulsebus destinations',
    'pulsebus destinations add s3 --settings bucket.json --types sleep,heart_rate',
    'pulsebus destinations add s3 --settings - < bucket.json',
    'pulsebus destinations reset 0199c0de-0000-7000-8000-000000000003 --from now --yes',
  ],
  async run(context) {
    const [word = 'list', given] = context.args;
    const { destinations: api } = context.client();
    const call = { signal: context.signal };
    if (word === 'list' && given === undefined) {
      const all = await api.list(call);
      if (all.length === 0) context.output.note('There are no destinations yet.');
      return print(context, all);
    }
    if (given === undefined) throw wrong();
    if (word === 'add') return print(context, [await api.create(await requestOf(context, given), call)]);
    return print(context, [await changed(context, word, given)]);
  },
};

function changed(context: Context, word: string, destination_id: string): PromiseLike<Destination> {
  const { destinations: api } = context.client();
  const call = { signal: context.signal };
  if (word === 'show') return api.get({ destination_id }, call);
  if (word === 'pause') return api.pause({ destination_id }, call);
  if (word === 'resume') return api.resume({ destination_id }, call);
  const consequence = consequences[word];
  if (consequence === undefined) throw wrong();
  if (!context.values.flag('yes')) throw new UsageError(`${consequence} --yes does it.`);
  return word === 'reset'
    ? api.reset({ destination_id, from: fromOf(context) }, call)
    : api.remove({ destination_id }, call);
}

const wrong = () => new UsageError(`usage: pulsebus destinations ${destinations.usage}`);

async function requestOf(context: Context, given: string): Promise<CreateDestinationRequest> {
  const { values } = context;
  const kind = kinds.find((one) => one === given);
  if (kind === undefined) throw new UsageError(`The kind is one of ${kinds.join(', ')}.`);
  const file = values.text('settings');
  if (file === undefined) throw new UsageError('--settings names a file with the settings, or -.');
  const types = values.list('types');
  if (types?.every(isType) === false) throw new UsageError('--types names types: heart_rate,sleep.');
  return {
    kind,
    settings: await settingsIn(file),
    from: fromOf(context),
    description: values.text('description') ?? null,
    types: types?.filter(isType) ?? null,
  };
}

// The server knows which types exist.
const isType = (name: string): name is DestinationType => /^[a-z0-9_]+$/.test(name);

async function settingsIn(file: string): Promise<{ [name: string]: unknown }> {
  const content = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((cause) => {
    throw new Failure(`${file} cannot be read.`, { cause });
  });
  try {
    return { ...Object(JSON.parse(content)) };
  } catch {
    throw new Failure('The settings are no JSON.');
  }
}

function fromOf({ values }: Context): (typeof begins)[number] {
  const given = values.text('from') ?? begins[0];
  const from = begins.find((one) => one === given);
  if (from === undefined) throw new UsageError(`--from is one of ${begins.join(', ')}.`);
  return from;
}

function print(context: Context, found: readonly Destination[]): void {
  const rows = found.map(({ id, kind, description, state, last_error, ...one }) => ({
    id,
    kind,
    description,
    state,
    changes_behind: one.changes_behind,
    lag_seconds: one.lag_seconds,
    rows_written: one.rows_written,
    last_commit_at: one.last_commit_at,
    error: state === 'failing' ? (last_error?.message ?? null) : null,
  }));
  printRows(context, rows, found);
}
