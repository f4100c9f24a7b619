import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './command.ts';

/** A server, and the key or token that it accepts. */
export interface Credentials {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What the file of this user holds. */
interface Stored extends Partial<Credentials> {
  /** Signs what `listen --to` forwards. */
  readonly listenSecret?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The file of this user: in XDG_CONFIG_HOME, APPDATA or ~/.config. */
export function credentialsFile({ XDG_CONFIG_HOME, APPDATA }: Environment = process.env): string {
  const folder = XDG_CONFIG_HOME || (process.platform === 'win32' && APPDATA) || join(homedir(), '.config');
  return join(folder, 'pulsebus', 'credentials.json');
}

/** What is stored; nothing if there is no file. @throws UsageError for another text */
export function readStored(file = credentialsFile()): Stored {
  const text = readIfExists(file);
  try {
    const value: unknown = text === null ? {} : JSON.parse(text);
    const field = (name: string) => {
      const found: unknown = Reflect.get(Object(value), name);
      return typeof found === 'string' ? { [name]: found } : {};
    };
    return { ...field('baseUrl'), ...field('apiKey'), ...field('listenSecret') };
  } catch {
    throw new UsageError(`${file} is no JSON. \`pulsebus login\` writes it anew after it is deleted.`);
  }
}

/** Replaces the file at once. Only this user can read it. */
export function writeStored(stored: Stored, file = credentialsFile()): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${process.pid}`;
  writeFileSync(part, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(part, 0o600);
  renameSync(part, file);
}

/** Deletes the file. */
export function removeStored(file = credentialsFile()): void {
  rmSync(file, { force: true });
}

/** The server and key to use: of the environment, otherwise of the log-in. @throws UsageError if one is missing */
export function credentialsOf(environment: Environment = process.env): Credentials {
  const { PULSEBUS_URL: url, PULSEBUS_API_KEY: key } = environment;
  const stored = url && key ? {} : readStored(credentialsFile(environment));
  const baseUrl = addressOf(
    url || (stored.baseUrl ?? ''),
    'Log in first: `pulsebus login URL`, or set PULSEBUS_URL and PULSEBUS_API_KEY.',
  );
  // A key is sent to the server that it was stored for, and to no other.
  const storedKey = baseUrl === stored.baseUrl ? stored.apiKey : undefined;
  const apiKey = key || storedKey;
  if (apiKey === undefined)
    throw new UsageError(
      `No key for ${baseUrl}: run \`pulsebus login ${baseUrl}\`, or set PULSEBUS_API_KEY.`,
    );
  return { baseUrl, apiKey };
}

/** The address of a server without a slash at its end. @throws UsageError */
export function addressOf(
  text: string,
  sentence = 'The address is an http or https URL: http://localhost:3000',
): string {
  try {
    const { protocol, origin, pathname, username, password } = new URL(text);
    if (/^https?:$/.test(protocol) && username + password === '')
      return `${origin}${pathname}`.replace(/(\/api\/v1)?\/*$/, '');
  } catch {}
  throw new UsageError(sentence);
}

function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
