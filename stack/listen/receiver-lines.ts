import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { jsonOrNull } from '../../domain/json/json.ts';
import { StreamLine } from '../../sandbox/receiver/message-stream.ts';
import type { ReceiverAccess } from '../sandbox/sandbox-receiver.ts';

/** The receiver refused the connection or ended it. */
export class ReceiverGone extends Error {
  override readonly name = 'ReceiverGone';
}

/** Where to begin: earlier messages to repeat, or the last message that was read of a receiver. */
export type Beginning = { readonly last: number } | { readonly receiver: string; readonly after: number };

/** The lines of a receiver, until its connection ends. They are read no faster than they are used. @throws ReceiverGone */
export async function* receiverLines(
  { messagesUrl, token }: Pick<ReceiverAccess, 'messagesUrl' | 'token'>,
  beginning: Beginning,
): AsyncGenerator<StreamLine> {
  const url = new URL(messagesUrl);
  for (const [name, value] of Object.entries(beginning)) url.searchParams.set(name, String(value));
  const response = await open(url, token);
  try {
    for await (const line of linesOf(response)) {
      const parsed = StreamLine.safeParse(jsonOrNull(line));
      if (parsed.success) yield parsed.data;
    }
  } catch (cause) {
    throw new ReceiverGone('the connection broke', { cause });
  } finally {
    response.destroy();
  }
}

async function open(url: URL, token: string): Promise<IncomingMessage> {
  const sent = request(url, { agent: false, headers: { authorization: `Bearer ${token}` } }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response').catch((cause: unknown) => {
    throw new ReceiverGone('it cannot be reached', { cause });
  });
  sent.on('error', () => undefined); // a broken connection is an error of the response
  if (response?.statusCode === 200) return response;
  response?.destroy();
  throw new ReceiverGone(`it answered ${response?.statusCode}`);
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}
