import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../../config.ts';
import { BodySecretResult } from '../../../domain/provider/body-secret.ts';
import type {
  HmacAuthentication,
  Keyset,
  PublicKey,
  SignatureAuthentication,
} from '../../../domain/provider/notifications.ts';
import { bodySecretHeader } from '../../../mixins/inbox/delivery.ts';
import type { ProviderApi } from '../../../mixins/provider-api/provider-api.ts';

/** Why a signature is not accepted. `KEYS_UNAVAILABLE` is temporary. */
type SignatureProblem =
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_MALFORMED'
  | 'SIGNATURE_KEY_UNKNOWN'
  | 'SIGNATURE_INVALID'
  | 'SECRET_MISSING'
  | 'SECRET_WRONG'
  | 'SECRET_UNSET'
  | 'KEYS_UNAVAILABLE';

/** A notification whose signature is checked. */
interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The signatures of one provider. Without keys nothing is accepted. */
export interface Signatures {
  /** Null: the signature is valid. */
  problemOf(signed: Signed): Promise<SignatureProblem | null>;
}

interface Cached {
  readonly keys: ReadonlyMap<string, PublicKey>;
  readonly fetchedMs: number;
}

/** Keys that cannot be fetched again stay usable for this many times `freshMs`. */
const usableFor = 7;

/** Checks signatures with the published keys. They are fetched when they are old, and for an unknown key at most once per floor. */
export function signaturesOf(
  authentication: SignatureAuthentication,
  { config, api }: { readonly config: Config; readonly api: ProviderApi },
  now: () => number = Date.now,
): Signatures {
  const { headers: names, keyId, verify, keyset } = authentication;
  const keys = openKeyset(keyset, { config, api }, now);
  return {
    async problemOf({ headers, body }) {
      const signature = names.map((name) => headers[name]).find((value) => value !== undefined);
      if (signature === undefined) return 'SIGNATURE_MISSING';
      const id = keyId(signature);
      if (id === null) return 'SIGNATURE_MALFORMED';
      const key = await keys.get(id);
      if (key === null) return 'KEYS_UNAVAILABLE';
      if (key === undefined) return 'SIGNATURE_KEY_UNKNOWN';
      return verify(signature, body, key) ? null : 'SIGNATURE_INVALID';
    },
  };
}

/**
 * Checks signatures with the secret that the provider and the application share. `stored` reads one that the provider gave.
 * Without a secret nothing is accepted.
 */
export function hmacSignatures(
  { header, timeHeader, encoding, secret }: HmacAuthentication,
  config: Config,
  stored: () => Promise<string | null>,
): Signatures {
  return {
    async problemOf({ headers, body }) {
      const signature = headers[header];
      const time = timeHeader === undefined ? '' : headers[timeHeader];
      if (signature === undefined || time === undefined) return 'SIGNATURE_MISSING';
      const key = secret === 'stored' ? await stored() : secret(config);
      if (key === undefined || key === null) return 'KEYS_UNAVAILABLE';
      const expected = createHmac('sha256', key).update(time).update(body).digest();
      const sent = Buffer.from(signature, encoding);
      return sent.length === expected.length && timingSafeEqual(sent, expected) ? null : 'SIGNATURE_INVALID';
    },
  };
}

const secretProblems: Readonly<Record<BodySecretResult, SignatureProblem | null>> = {
  right: null,
  wrong: 'SECRET_WRONG',
  missing: 'SECRET_MISSING',
  unset: 'SECRET_UNSET',
};

/** Reads what was noted of the secret in a body when it arrived. The stored body does not contain it. */
export const bodySecrets: Signatures = {
  async problemOf({ headers }) {
    return secretProblems[BodySecretResult.catch('missing').parse(headers[bodySecretHeader])];
  },
};

function openKeyset(
  { url, read, freshMs, floorMs }: Keyset,
  { config, api }: { readonly config: Config; readonly api: ProviderApi },
  now: () => number,
) {
  let cached: Cached | null = null;
  let triedMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;
  const fetchKeys = async () => {
    triedMs = now();
    const answer = await api.request({ url: url(config) });
    const keys = answer.status === 200 ? read(answer.text) : null;
    if (keys !== null) cached = { keys, fetchedMs: now() };
  };
  // Parallel checks share a fetch.
  const refresh = async () => {
    if (running === null && now() - triedMs < floorMs) return;
    running ??= fetchKeys().finally(() => {
      running = null;
    });
    await running;
  };
  return {
    /** Undefined: there is no such key. Null: no keys could be fetched. */
    async get(id: string): Promise<PublicKey | undefined | null> {
      const isOld = cached === null || now() - cached.fetchedMs > freshMs;
      if (isOld || cached?.keys.has(id) !== true) await refresh();
      const isUsable = cached !== null && now() - cached.fetchedMs <= freshMs * usableFor;
      return isUsable ? cached?.keys.get(id) : null;
    },
  };
}
