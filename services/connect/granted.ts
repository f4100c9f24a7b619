import { z } from 'zod';
import type { ProviderName } from '../../domain/wire.ts';
import { readPermissions } from '../../mixins/access-check.ts';
import type { ProviderApi } from '../../mixins/provider-api.ts';
import { type Exchanged, scopesIn } from './exchange-code.ts';
import type { ProviderAccess } from './providers.ts';

/** Whose account it is, and what its owner lets us read. */
export type Granted =
  | {
      readonly kind: 'granted';
      readonly account: string;
      readonly scope: string[];
      readonly isEnough: boolean;
    }
  | { readonly kind: 'refused' | 'unavailable' };

type Tokens = Extract<Exchanged, { kind: 'tokens' }>;

interface Asking {
  readonly api: ProviderApi;
  readonly access: ProviderAccess;
  /** The scope that the provider put beside the code; the owner may have unticked some. */
  readonly appended: string | undefined;
}

/** Finds out what was granted: the activity platform tells it on the way, the device maker is asked. */
export function findGranted(
  provider: ProviderName,
  asking: Asking,
  tokens: Tokens,
): Promise<Granted> | Granted {
  return provider === 'devicemaker' ? askDevicemaker(asking, tokens) : readActivitynet(asking, tokens);
}

// Neither beside the code nor beside the tokens: by the standard all that was asked for.
function readActivitynet({ access, appended }: Asking, { account, scope }: Tokens): Granted {
  if (account === null) return { kind: 'refused' };
  const granted = scopesIn(appended ?? scope ?? access.scope ?? '');
  const isEnough = granted.includes('activity:read') || granted.includes('activity:read_all');
  return { kind: 'granted', account, scope: granted, isEnough };
}

const UserId = z.object({
  userId: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .refine((id) => !id.includes('\0')),
});
async function askDevicemaker({ api, access }: Asking, { tokens }: Tokens): Promise<Granted> {
  const [user, permissions] = await Promise.all([
    ask(api, `${access.apiUrl}/user/id`, tokens.access_token, readUserId),
    ask(api, `${access.apiUrl}/user/permissions`, tokens.access_token, readPermissions),
  ]);
  if (typeof user === 'string') return { kind: user };
  if (typeof permissions === 'string') return { kind: permissions };
  const isEnough = permissions.length > 0;
  return { kind: 'granted', account: user.userId, scope: permissions, isEnough };
}

async function ask<T>(
  api: ProviderApi,
  url: string,
  token: string,
  read: (text: string) => T | null,
): Promise<T | 'refused' | 'unavailable'> {
  const answer = await api.request({ url: new URL(url), token, timeoutMs: 5000 });
  if (answer.status === 200) return read(answer.text) ?? 'unavailable';
  return answer.status >= 400 && answer.status < 500 && answer.status !== 429 ? 'refused' : 'unavailable';
}

function readUserId(text: string): z.infer<typeof UserId> | null {
  try {
    return UserId.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
