import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { type MessageLog, ReceivedMessage } from './message-log.ts';

/** The first line of a stream: which receiver it is, and the number after which its messages follow. */
const Beginning = z.object({ receiver: z.string(), after: z.int() });
/** The number of requests that were refused since the last such line. */
const Refusals = z.object({ refused: z.int() });

/** A line of a stream. Empty lines between them show that the connection is alive. */
export const StreamLine = z.union([ReceivedMessage, Beginning, Refusals]);
export type StreamLine = z.infer<typeof StreamLine>;

/** The messages of a log as newline-delimited JSON, for any number of readers. */
export interface MessageStream {
  /** Answers a request with the kept messages that it asks for and all later ones. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Reports a refused request to the readers. */
  noteRefusal(): void;
  stop(): void;
}

const aliveEveryMs = 15_000;
const refusalsEveryMs = 1000;
/** `last=10`: the newest ten. `receiver=…&after=7`: what follows number 7 of the same receiver, otherwise all. */
const Query = z.object({
  last: z.coerce.number().int().min(0).max(1_000_000).catch(0),
  after: z.coerce.number().int().min(0).optional().catch(undefined),
  receiver: z.string().optional(),
});

/** A stream of a log. A reader that is slow misses messages that the log removes meanwhile; their numbers show it. */
export function messageStream(log: MessageLog): MessageStream {
  const receiver = randomUUID();
  const readers = new Set<ServerResponse>();
  let refused = 0;
  const sendAll = (text: string) => {
    for (const reader of readers) if (!reader.writableNeedDrain) reader.write(text);
  };
  const alive = setInterval(() => sendAll('\n'), aliveEveryMs).unref();
  const refusals = setInterval(() => {
    if (refused > 0) sendAll(lineOf({ refused }));
    refused = 0;
  }, refusalsEveryMs).unref();
  return {
    serve(request, response) {
      const after = startOf(request, receiver, log.newest());
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
      response.write(lineOf({ receiver, after }));
      const end = follow(log, response, after);
      readers.add(response);
      response.once('close', () => {
        readers.delete(response);
        end();
      });
    },
    noteRefusal() {
      refused += 1;
    },
    stop() {
      clearInterval(alive);
      clearInterval(refusals);
    },
  };
}

function startOf({ url = '/' }: IncomingMessage, receiver: string, newest: number): number {
  const query = Query.parse(Object.fromEntries(new URL(url, 'http://receiver').searchParams));
  if (query.after === undefined) return Math.max(0, newest - query.last);
  return query.receiver === receiver ? query.after : 0;
}

// The log holds what a reader has yet to read, so slow readers take no memory of their own.
function follow(log: MessageLog, response: ServerResponse, after: number): () => void {
  let sent = after;
  const send = () => {
    for (let next = log.next(sent); next !== undefined; next = log.next(sent)) {
      if (response.writableNeedDrain) return;
      sent = next.number;
      response.write(lineOf(next));
    }
  };
  response.on('drain', send);
  send();
  return log.subscribe(send);
}

const lineOf = (line: StreamLine) => `${JSON.stringify(line)}\n`;
