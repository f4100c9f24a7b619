import { z } from 'zod';
import { TargetError } from '../../../../domain/destinations/target-errors.ts';
import { type Session, withSession } from '../../session/session.ts';
import { checkedHost } from '../checked-address.ts';
import type { TargetHost } from '../../manage/check-hosts.ts';
import type { Run } from '../target.ts';
import { hostsOf, type JetstreamSettings } from './jetstream-settings.ts';

/** A message of a stream. A repeated id within the window of the stream is stored once. */
export interface Message {
  readonly subject: string;
  readonly id: string;
  readonly body: Buffer;
}

/** A stream. All functions throw TargetError. */
export interface StreamClient {
  /** The largest body of a message. */
  readonly mostBytes: number;
  /** Sends a message. Resolves when another may be sent, and not with its acknowledgement. */
  publish(message: Message): Promise<void>;
  /** Resolves when all messages are acknowledged. */
  settled(): Promise<void>;
  /** Deletes the messages of a subject filter. Returns how many, and how many are left. */
  purge(filter: string): Promise<z.infer<typeof Purged>>;
}

const Nothing = z.void();
const Purged = z.object({ purged: z.number(), left: z.number() });

/** Runs `work` with a connection to a stream. The connection is made to an address that was checked, and ends with `work`. */
export async function withStream<T>(
  run: Run,
  settings: JetstreamSettings,
  work: (client: StreamClient) => Promise<T>,
): Promise<T> {
  let last: unknown = new TargetError('unreachable');
  // The first server that answers. Names of other servers, which a cluster sends, are not used: nothing has checked them.
  for (const host of hostsOf(settings)) {
    let isOpen = false;
    try {
      return await withServer(run, settings, host, async ({ call, send }) => {
        isOpen = true;
        return work({
          mostBytes: await call(z.number(), 'mostBytes'),
          publish: ({ subject, id, body }) => send('publish', [subject, id, body]),
          settled: () => call(Nothing, 'settled'),
          purge: (filter) => call(Purged, 'purge', [filter]),
        });
      });
    } catch (error) {
      if (isOpen || !(error instanceof TargetError) || error.reason === 'stopped') throw error;
      last = error;
    }
  }
  throw last;
}

async function withServer<T>(
  run: Run,
  { stream, user, password, token, creds, tls, tls_ca }: JetstreamSettings,
  target: TargetHost,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const host = await checkedHost(run, target);
  const opening = { host, stream, user, password, token, creds, tls, tls_ca };
  return withSession(run, { kind: 'jetstream', stream: opening }, work);
}
