import { z } from 'zod';
import { TargetError } from '../../../../../domain/destinations/target-errors.ts';
import type { TargetHost } from '../../../rules/allowed-hosts.ts';
import { type Session, withSession } from '../../session/session.ts';
import { checkedHost } from '../checked-address.ts';
import type { Run } from '../target.ts';
import { HostName, optional, tlsSettings } from '../tls-settings.ts';

const serverForm = 'must be host and port, such as nats.example.com:4222';

const Server = z
  .string()
  .trim()
  .max(300)
  .refine((text) => partsOf(text) !== null, serverForm);
const Secret = optional(
  z.string().min(1, 'must not be empty').max(10_000, 'must be at most 10000 characters'),
);

/** The settings of a stream. */
export const JetstreamSettings = z
  .strictObject({
    servers: z.array(Server).min(1, 'must name at least one server').max(10, 'must name at most 10 servers'),
    stream: z
      .string()
      .regex(
        /^[\w-]{1,100}$/,
        'must be the name of a stream: 1 to 100 letters, digits, hyphens and underscores',
      ),
    subject_prefix: z
      .string()
      .max(100, 'must be at most 100 characters')
      .regex(
        /^[\w-]+(\.[\w-]+)*$/,
        'must be tokens of letters, digits, hyphens and underscores, with dots between them',
      )
      .default('pulsebus'),
    user: optional(z.string().min(1, 'must not be empty').max(200)),
    password: Secret,
    token: Secret,
    /** The content of a credentials file: a JWT and its seed. */
    creds: Secret,
    ...tlsSettings,
  })
  .refine(({ user, password }) => (user === undefined) === (password === undefined), {
    error: 'must be given with user',
    path: ['password'],
  })
  .refine(({ user, token, creds }) => [user, token, creds].filter((one) => one !== undefined).length <= 1, {
    error: 'must be one of user, token and creds',
    path: ['creds'],
  });
export type JetstreamSettings = z.infer<typeof JetstreamSettings>;

/** The servers, which are tried in their order. */
export function hostsOf({ servers, tls }: JetstreamSettings): TargetHost[] {
  return servers.flatMap((server) => {
    const parts = partsOf(server);
    return parts === null ? [] : [{ ...parts, isEncrypted: tls !== 'off' }];
  });
}

function partsOf(server: string): { readonly host: string; readonly port: number } | null {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(server) ?? [];
  const host = HostName.safeParse(bracketed ?? plain);
  const number = Number(port);
  return host.success && number >= 1 && number <= 65_535 ? { host: host.data, port: number } : null;
}

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
