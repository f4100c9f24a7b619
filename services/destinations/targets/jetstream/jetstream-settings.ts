import { z } from 'zod';
import type { TargetHost } from '../../manage/check-hosts.ts';
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
