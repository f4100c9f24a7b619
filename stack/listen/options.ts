import { parseArgs } from 'node:util';
import { z } from 'zod';
import { eventTypes } from '../../contracts/webhooks/events.ts';

/** The options of `npm run listen`. */
export interface ListenOptions {
  /** Where messages are forwarded. */
  readonly to: URL | null;
  /** Whether a message is shown and forwarded. */
  readonly isWanted: (message: { readonly type: string; readonly users: readonly string[] }) => boolean;
  /** Prints bodies instead of lines. */
  readonly isJson: boolean;
  /** How many earlier messages are printed first. */
  readonly last: number;
  /** After how many printed messages it ends. */
  readonly count: number;
  /** Prints the secret and ends. */
  readonly isSecretOnly: boolean;
  readonly isHelp: boolean;
}

/** The arguments are wrong; the message is a sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What `--help` prints. */
export const usage = `usage: npm run listen -- [options]

Prints the webhook messages that the sandbox's receiver verified, as they arrive.

  --to URL         also forwards each message, unchanged, to an address of this machine
  --type PATTERN   only these event types, for example 'workout.*'; may be repeated, and take a list
  --user ID        only messages of this user, by id or external id
  --last N         prints the last N earlier messages first (default 10; 0 with --to or --json)
  --count N        ends after N messages
  --json           prints the body of each message in a line
  --print-secret   prints the signing secret of the messages and ends
  --help           prints this

examples:
  npm run listen
  npm run listen -- --type 'workout.*,sleep.*' --last 100
  npm run listen -- --to http://localhost:4000/hooks
  npm run -s listen -- --json --type timeseries.updated --count 5
  WEBHOOK_SECRET=$(npm run -s listen -- --print-secret) node receiver.js

DATA_DIR names the data folder of the start to listen to.`;

const usualLast = 10;
const mostLast = 1000;
const mostCount = 1_000_000_000;
const hosts = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Reads the arguments. @throws UsageError */
export function listenOptions(args: readonly string[]): ListenOptions {
  const values = parsed(args);
  const to = values.to === undefined ? null : targetOf(values.to);
  const isLive = to !== null || values.json === true;
  const matchesType = typeFilter(values.type ?? []);
  const { user } = values;
  return {
    to,
    isWanted: ({ type, users }) => matchesType(type) && (user === undefined || users.includes(user)),
    isJson: values.json === true,
    last: values.last === undefined ? (isLive ? 0 : usualLast) : countOf('--last', values.last, mostLast),
    count:
      values.count === undefined ? Number.POSITIVE_INFINITY : countOf('--count', values.count, mostCount),
    isSecretOnly: values['print-secret'] === true,
    isHelp: values.help === true,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        to: { type: 'string' },
        type: { type: 'string', multiple: true },
        user: { type: 'string' },
        last: { type: 'string' },
        count: { type: 'string' },
        json: { type: 'boolean' },
        'print-secret': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : [];
    throw new UsageError(`${sentence}. \`npm run listen -- --help\` lists the options.`);
  }
}

// Bodies may contain health data, and what is sent to another machine belongs to an endpoint of its own.
function targetOf(text: string): URL {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isWeb || !hosts.test(url.hostname) || `${url.username}${url.password}` !== '')
    throw new UsageError(
      '--to must be an http address of this machine, for example http://localhost:4000/hooks. For another machine register a webhook endpoint.',
    );
  return url;
}

function countOf(name: string, text: string, most: number): number {
  const count = z.coerce
    .number()
    .int()
    .min(0)
    .max(most)
    .safeParse(text.trim() || 'none');
  if (!count.success) throw new UsageError(`${name} must be a whole number from 0 to ${most}.`);
  return count.data;
}

const knownTypes: readonly string[] = [...eventTypes, 'test.ping'];

function typeFilter(given: readonly string[]): (type: string) => boolean {
  const patterns = given.flatMap((text) => text.split(',')).map((text) => text.trim());
  for (const pattern of patterns)
    if (!knownTypes.some((type) => matches(pattern, type)))
      throw new UsageError(`--type: no event type matches ${JSON.stringify(pattern)}. ${listed}`);
  return (type) => patterns.length === 0 || patterns.some((pattern) => matches(pattern, type));
}

const listed = `The types are ${knownTypes.join(', ')}.`;

function matches(pattern: string, type: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(type);
}
