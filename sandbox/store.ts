import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { dataTypes } from './devicemaker/payloads.ts';

/** What the sandbox remembers over a restart: applications, who is connected with which tokens, what was sent. */
const Span = z.object({ startMs: z.number(), endMs: z.number() });
const SpansByType = z.partialRecord(z.enum(dataTypes), z.array(Span));
const Client = z.object({ client_id: z.string(), client_secret: z.string() });

const Grant = z.object({
  access_token: z.string(),
  access_ends_ms: z.number(),
  refresh_token: z.string(),
  refresh_ends_ms: z.number(),
  /** The scope of these tokens. */
  scope: z.array(z.string()),
  issued_wall_ms: z.number(),
});

const DevicemakerAccount = z.object({
  account_id: z.string(),
  /** Which of the people it belongs to. */
  person: z.int(),
  registered: z.boolean(),
  permissions: z.array(z.string()),
  /** Live data is sent up to here. */
  live_ms: z.number(),
  grants: z.array(Grant),
  asked: SpansByType,
  sent: SpansByType,
});

const ActivitynetAccount = z.object({
  athlete_id: z.int(),
  person: z.int(),
  authorized: z.boolean(),
  grants: z.array(Grant),
  live_ms: z.number(),
  /** Activities that the application was told of, by an event or in an answer. */
  told: z.array(z.int()),
  deleted: z.array(z.int()),
  /** What their owner changed, by the activity's id. */
  titles: z.record(z.string(), z.string()),
});

const Portion = z.object({ account_id: z.string(), type: z.enum(dataTypes), ...Span.shape });

const Event = z.object({
  object_type: z.enum(['activity', 'athlete']),
  object_id: z.int(),
  aspect_type: z.enum(['create', 'update', 'delete']),
  owner_id: z.int(),
  event_time: z.int(),
  updates: z.record(z.string(), z.string()),
});

const Contents = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('data'), portions: z.array(Portion) }),
  z.object({ kind: z.literal('notice'), body: z.record(z.string(), z.array(z.unknown())) }),
  z.object({ kind: z.literal('event'), event: Event }),
  z.object({ kind: z.literal('garbage'), path: z.string(), text: z.string() }),
]);

const Letter = z.object({
  id: z.string(),
  contents: Contents,
  attempts: z.int(),
  written_ms: z.number(),
  due_ms: z.number(),
});

/** How one application wants its notifications. */
export const Application = z.object({
  /** Where they are posted to, without the provider's part of the path; null: nowhere, they wait. */
  webhooks: z.url().nullable(),
  /** The last segment of the device maker's addresses, where they are secret. */
  secret: z.string().nullish(),
  style: z.enum(['push', 'ping']),
  header: z.enum(['devicemaker-client-id', 'garmin-client-id']),
  /** Data types by their documented names, or by those that other senders use. */
  names: z.enum(['documented', 'other']),
  /** Data types that are switched off: their history answers 412, nothing of them is sent. */
  types_off: z.array(z.enum(dataTypes)),
  sign_events: z.boolean(),
});

const Subscription = z.object({ id: z.int(), callback_url: z.url(), verify_token: z.string() });

const Counts = z.object({
  letters: z.int(),
  posts: z.int(),
  acknowledged: z.int(),
  given_up: z.int(),
  callbacks: z.int(),
});

const Book = z.object({
  seed: z.string(),
  port: z.int(),
  clock: z.object({ shows_ms: z.number(), wall_ms: z.number() }).nullable(),
  signing_key: z.string(),
  devicemaker: Client,
  activitynet: Client,
  application: Application,
  subscription: Subscription.nullable(),
  /** People beyond those of the table. */
  more_people: z.int(),
  devicemaker_accounts: z.array(DevicemakerAccount),
  activitynet_accounts: z.array(ActivitynetAccount),
  /** History that was asked for in the window that is still open. */
  gathering: z.array(Portion),
  letters: z.array(Letter),
  counts: Counts,
});

export type Book = z.infer<typeof Book>;
export type Application = z.infer<typeof Application>;
export type Grant = z.infer<typeof Grant>;
export type DevicemakerAccount = z.infer<typeof DevicemakerAccount>;
export type ActivitynetAccount = z.infer<typeof ActivitynetAccount>;
export type Portion = z.infer<typeof Portion>;
export type Event = z.infer<typeof Event>;
export type Letter = z.infer<typeof Letter>;
export type Contents = z.infer<typeof Contents>;

/** The book and its file. */
export interface Store {
  readonly book: Book;
  /** Writes it down now: tokens that were handed out must not be forgotten. */
  save(): void;
  /** Writes it down soon. */
  touch(): void;
  close(): void;
}

const soonMs = 1000;

/** Opens the book of a file, or a new one; without a file nothing outlives the program. */
export function openStore(file: string | null, seed: string): Store {
  const known = file !== null && existsSync(file) ? readBook(file) : null;
  const book = known?.seed === seed ? known : newBook(seed);
  let timer: NodeJS.Timeout | undefined;
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    if (file === null) return;
    writeFileSync(`${file}.new`, JSON.stringify(book), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    book,
    save,
    touch: () => {
      timer ??= setTimeout(save, soonMs).unref();
    },
    close: save,
  };
}

function readBook(file: string): Book | null {
  const read = Book.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return read.success ? read.data : null;
}

/** A text that nobody guesses. */
export function secret(bytes = 24): string {
  return randomBytes(bytes).toString('base64url');
}

function newBook(seed: string): Book {
  const client = (name: string) => ({ client_id: `sandbox-${name}`, client_secret: secret() });
  return {
    seed,
    port: 0,
    clock: null,
    signing_key: secret(),
    devicemaker: client('devicemaker'),
    activitynet: client('activitynet'),
    application: {
      webhooks: null,
      style: 'push',
      header: 'devicemaker-client-id',
      names: 'documented',
      types_off: [],
      sign_events: true,
    },
    subscription: null,
    more_people: 0,
    devicemaker_accounts: [],
    activitynet_accounts: [],
    gathering: [],
    letters: [],
    counts: { letters: 0, posts: 0, acknowledged: 0, given_up: 0, callbacks: 0 },
  };
}
