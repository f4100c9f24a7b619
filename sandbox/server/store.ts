import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** A span of time. */
export const Span = z.object({ startMs: z.number(), endMs: z.number() });

/** The credentials of the application at a provider. */
export const Client = z.object({ client_id: z.string(), client_secret: z.string() });
export type Client = z.infer<typeof Client>;

/** A pair of tokens of an account, with their scope. */
export const Grant = z.object({
  access_token: z.string(),
  access_ends_ms: z.number(),
  refresh_token: z.string(),
  refresh_ends_ms: z.number(),
  scope: z.array(z.string()),
  issued_wall_ms: z.number(),
});
export type Grant = z.infer<typeof Grant>;

/** The contents of a notification. Each provider has its own kinds besides `garbage`. */
export type Contents = Readonly<{ kind: string }>;
const Contents: z.ZodType<Contents> = z.looseObject({ kind: z.string() });

/** Contents that are invalid for receivers. `path` is that of the webhook and begins with the provider's name. */
export const Garbage = z.object({ kind: z.literal('garbage'), path: z.string(), text: z.string() });

const QueuedNotification = z.object({
  id: z.string(),
  /** The sender. */
  provider: z.string(),
  contents: Contents,
  attempts: z.int(),
  written_ms: z.number(),
  due_ms: z.number(),
});
export type QueuedNotification = z.infer<typeof QueuedNotification>;

/** The state that all providers share. */
export const State = z.object({
  seed: z.string(),
  port: z.int(),
  clock: z.object({ shows_ms: z.number(), wall_ms: z.number() }).nullable(),
  /** The application's settings for notifications, including those of the providers. */
  application: z.looseObject({
    /** The URL of the webhooks without the provider's part of the path. With null, notifications are not sent yet. */
    webhooks: z.url().nullable(),
  }),
  /** The number of users in addition to those of the table. */
  more_people: z.int(),
  letters: z.array(QueuedNotification),
  counts: z.object({
    letters: z.int(),
    posts: z.int(),
    acknowledged: z.int(),
    given_up: z.int(),
    callbacks: z.int(),
  }),
});
export type State = z.infer<typeof State>;

/** The state that survives a restart, and its file. */
export interface Store {
  /** The state that all providers share. */
  readonly state: State;
  /** The fields of one provider in the file; `initial` if the file has none that are valid. */
  part<T extends object>(schema: z.ZodType<T>, initial: T): T;
  /** Writes the file now, because issued tokens must not be lost. */
  save(): void;
  /** Writes the file within a second. */
  touch(): void;
  close(): void;
}

const soonMs = 1000;

/** Opens the state of a file, which starts anew for another seed. Without a file, the state ends with the process. */
export function openStore(file: string | null, seed: string): Store {
  const saved = file !== null && existsSync(file) ? readSaved(file, seed) : {};
  const parts: object[] = [saved];
  let timer: NodeJS.Timeout | undefined;
  const part = <T extends object>(schema: z.ZodType<T>, initial: T): T => {
    const read = schema.safeParse(saved);
    const own = read.success ? read.data : initial;
    parts.push(own);
    return own;
  };
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    if (file === null) return;
    writeFileSync(`${file}.new`, JSON.stringify(merged(parts)), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    state: part(State, initialState(seed)),
    part,
    save,
    touch: () => {
      timer ??= setTimeout(save, soonMs).unref();
    },
    close: save,
  };
}

/** The fields of several objects in one. Of equal names the last counts. */
export function merged(parts: readonly object[]): Record<string, unknown> {
  return Object.fromEntries(parts.flatMap((one) => Object.entries(one)));
}

function readSaved(file: string, seed: string): object {
  const saved = z.looseObject({ seed: z.literal(seed) }).safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return saved.success ? saved.data : {};
}

/** A random text that cannot be guessed. */
export function secret(bytes = 24): string {
  return randomBytes(bytes).toString('base64url');
}

/** New credentials of the application at a provider. */
export function newClient(provider: string): Client {
  return { client_id: `sandbox-${provider}`, client_secret: secret() };
}

function initialState(seed: string): State {
  return {
    seed,
    port: 0,
    clock: null,
    application: { webhooks: null },
    more_people: 0,
    letters: [],
    counts: { letters: 0, posts: 0, acknowledged: 0, given_up: 0, callbacks: 0 },
  };
}
