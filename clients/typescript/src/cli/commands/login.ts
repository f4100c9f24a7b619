import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Pulsebus } from '../../index.ts';
import { type Command, type Context, Failure, UsageError } from '../command.ts';
import {
  addressOf,
  type Credentials,
  credentialsFile,
  readStored,
  removeStored,
  writeStored,
} from '../credentials.ts';
import { printable } from '../output.ts';

export const login: Command = {
  name: 'login',
  summary: 'Store the address of a server and a key for it',
  usage: '[URL]',
  arity: [0, 1],
  options: {},
  notes: `The key is read from the terminal without being shown, or from the input. It is checked against the server, and stored
in a file that only you can read. PULSEBUS_URL and PULSEBUS_API_KEY take precedence over it.`,
  examples: [
    'pulsebus login http://localhost:3000',
    'pulsebus login http://localhost:3000 < .data/sandbox.key',
  ],
  async run(context) {
    const { args, output } = context;
    const baseUrl = addressOf(args[0] ?? process.env.PULSEBUS_URL ?? 'http://localhost:3000');
    const apiKey = process.env.PULSEBUS_API_KEY || (await readKey(context));
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError('No key was given.');
    const { total } = await clientOf({ baseUrl, apiKey }).users.list(
      { limit: 1 },
      { signal: context.signal },
    );
    writeStored({ ...readStored(), baseUrl, apiKey });
    output.line(
      `Logged in to ${baseUrl}: ${total} ${total === 1 ? 'user' : 'users'}. The key is in ${credentialsFile()}.`,
    );
    if (!isProtected(baseUrl)) output.note('Note: over http the key is sent unencrypted.');
  },
};

export const logout: Command = {
  name: 'logout',
  summary: 'Forget the stored key',
  usage: '',
  arity: [0, 0],
  options: {},
  notes: 'The key stays valid at the server. The page at /docs deletes or rotates keys.',
  examples: ['pulsebus logout'],
  run({ output }) {
    removeStored();
    output.line('Logged out.');
  },
};

/** A client with a key, or with the token of a developer. */
export function clientOf({ baseUrl, apiKey }: Credentials): Pulsebus {
  const { PULSEBUS_PROJECT: project } = process.env;
  const named = project ? { project } : {};
  return new Pulsebus({ baseUrl, ...named, ...(apiKey.startsWith('sk-') ? { apiKey } : { token: apiKey }) });
}

function isProtected(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** The first line of the input. A terminal does not show it. */
async function readKey({ signal, output }: Context): Promise<string> {
  const { stdin, stderr } = process;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (stdin.isTTY) stderr.write('API key: ');
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY === true });
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const stop = () => lines.close();
  signal.addEventListener('abort', stop);
  try {
    const key = await new Promise<string>((resolve) =>
      lines.once('line', resolve).once('close', () => resolve('')),
    );
    signal.throwIfAborted();
    return printable(key.trim());
  } catch (error) {
    throw signal.aborted ? error : new Failure('The key cannot be read.');
  } finally {
    if (stdin.isTTY) output.note('');
    lines.close();
  }
}
