import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { type Command, type Context, Failure, UsageError } from '../command.ts';
import { findUser } from '../find-user.ts';
import { timeOf } from '../times.ts';

const kinds = [
  'user',
  'connection',
  'consent',
  'workout',
  'sleep',
  'day',
  'other',
  'sample',
  'audit',
  'access',
] as const;
const endLength = 200;

export const exportData: Command = {
  name: 'export',
  summary: 'Export all data of a user as JSON lines',
  usage: '<user>',
  arity: [1, 1],
  options: {
    output: {
      type: 'string',
      value: 'FILE',
      description: 'writes a file, which exists only if the export is complete',
    },
    since: { type: 'string', value: 'TIME', description: 'only data since a time, or 12h, 7d ago' },
    kinds: { type: 'string', value: 'LIST', description: `some of ${kinds.join(',')}`, choices: kinds },
  },
  notes: 'The last line of a complete export has the kind "end".',
  examples: [
    'pulsebus export 42 --output ada.ndjson',
    'pulsebus export 42 --kinds sample --since 7d | wc -l',
  ],
  async run(context) {
    const { args, client, values, signal } = context;
    const names = values.list('kinds');
    const chosen = names === undefined ? undefined : kinds.filter((kind) => names.includes(kind));
    if (chosen?.length !== names?.length) throw new UsageError(`--kinds is a list of ${kinds.join(', ')}.`);
    const since = values.text('since');
    const { id: user_id } = await findUser(client(), args[0] ?? '', signal);
    const query = {
      user_id,
      ...(chosen === undefined ? {} : { kinds: chosen }),
      ...(since === undefined ? {} : { since: timeOf(since, Date.now()) }),
    };
    const lines = client().apiGateway.export(query, { signal });
    await copy(await lines.response(), context);
  },
};

async function copy(response: Response, { values, output }: Context): Promise<void> {
  const file = values.text('output');
  const end =
    file === undefined
      ? await copyText(response, output.write)
      : await writeWhole(file, (write) => copyText(response, write));
  if (file !== undefined) output.note(`${file} is complete: ${end} lines.`);
}

/** Writes beside the file first, so that it exists only if it is complete. Health data is readable for this user only. */
export async function writeWhole<T>(
  file: string,
  copy: (write: (chunk: string | Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  const part = `${file}.part`;
  const stream = createWriteStream(part, { mode: 0o600 });
  try {
    const copied = await copy(async (chunk) => {
      if (!stream.write(chunk)) await once(stream, 'drain');
    });
    stream.end();
    await finished(stream);
    renameSync(part, file);
    return copied;
  } catch (error) {
    stream.destroy();
    rmSync(part, { force: true });
    throw error;
  }
}

/** Copies the text of a response; returns the number of lines that its end states. @throws Failure without an end */
async function copyText({ body }: Response, write: (text: string) => Promise<void>): Promise<number> {
  let end = '';
  for await (const text of textOf(body)) {
    end = (end + text).slice(-endLength);
    await write(text);
  }
  const [, lines] = end.match(/\{"kind":"end","lines":(\d+)\}\s*$/) ?? [];
  if (lines === undefined) throw new Failure('The export is incomplete: the server ended it early.');
  return Number(lines);
}

/** The text of a body, in parts. */
export async function* textOf(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(body)) yield decoder.decode(chunk, { stream: true });
}

/** A body in parts. Node 18 has no types for the iteration of a web stream. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    yield value;
  }
}
