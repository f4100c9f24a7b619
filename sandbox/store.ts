import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** A stretch of time. */
export const Span = z.object({ startMs: z.number(), endMs: z.number() });

/** The credentials of the application at a provider. */
export const Client = z.object({ client_id: z.string(), client_secret: z.string() });
export type Client = z.infer<typeof Client>;

/** A pair of tokens of an account, with the scope that they have. */
export const Grant = z.object({
  access_token: z.string(),
  access_ends_ms: z.number(),
  refresh_token: z.string(),
  refresh_ends_ms: z.number(),
  scope: z.array(z.string()),
  issued_wall_ms: z.number(),
});
export type Grant = z.infer<typeof Grant>;

/** What a notification says. Each provider has kinds of its own beside `garbage`. */
export type Contents = Readonly<{ kind: string }>;
const Contents: z.ZodType<Contents> = z.looseObject({ kind: z.string() });

/** Contents that no receiver can use; `path` is that of the webhook, and begins with the provider's name. */
export const Garbage = z.object({ kind: z.literal('garbage'), path: z.string(), text: z.string() });

const Letter = z.object({
  id: z.string(),
  /** The sender. Empty in files that an earlier version wrote. */
  provider: z.string().default(''),
  contents: Contents,
  attempts: z.int(),
  written_ms: z.number(),
  due_ms: z.number(),
});
export type Letter = z.infer<typeof Letter>;

/** What the sandbox keeps of all providers together. */
export const State = z.object({
  seed: z.string(),
  port: z.int(),
  clock: z.object({ shows_ms: z.number(), wall_ms: z.number() }).nullable(),
  /** How the application wants its notifications, the providers' own settings included. */
  application: z.looseObject({
    /** Where they are posted to, without the provider's part of the path. With null they wait. */
    webhooks: z.url().nullable(),
  }),
  /** The number of people beyond those of the table. */
  more_people: z.int(),
  letters: z.array(Letter),
  counts: z.object({
    letters: z.int(),
    posts: z.int(),
    acknowledged: z.int(),
    given_up: z.int(),
    callbacks: z.int(),
  }),
});
export type State = z.infer<typeof State>;

/** What the sandbox keeps over a restart, and its file. */
export interface Store {
  /** What all providers share. */
  readonly state: State;
  /** The fields of one provider in the file; `initial` where the file has none that fit. */
  part<T extends object>(schema: z.ZodType<T>, initial: T): T;
  /** Writes the file now: tokens that were handed out must not be forgotten. */
  save(): void;
  /** Writes the file within a second. */
  touch(): void;
  close(): void;
}

const soonMs = 1000;

/** Opens a file, which is begun anew for another seed; without a file nothing outlives the process. */
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

/** The fields of several objects in one; of equal names the last counts. */
export function merged(parts: readonly object[]): Record<string, unknown> {
  return Object.fromEntries(parts.flatMap((one) => Object.entries(one)));
}

function readSaved(file: string, seed: string): object {
  const saved = z.looseObject({ seed: z.literal(seed) }).safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return saved.success ? saved.data : {};
}

/** A text that cannot be guessed. */
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
