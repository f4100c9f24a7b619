import { TargetError } from '../../../domain/destinations/target-errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { DestinationRow } from './destinations.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Settings in two parts: those that are shown, and the encrypted secrets. */
export function sealed(
  cipher: Cipher,
  id: string,
  { secrets }: { readonly secrets: readonly string[] },
  settings: Settings,
): { readonly settings: Settings; readonly secrets: string } {
  const parts = Object.groupBy(Object.entries(settings), ([name]) =>
    secrets.includes(name) ? 'hidden' : 'shown',
  );
  return {
    settings: Object.fromEntries(parts.shown ?? []),
    secrets: cipher.encrypt(JSON.stringify(Object.fromEntries(parts.hidden ?? [])), id),
  };
}

/** The settings with their secrets. @throws TargetError `secrets_unreadable` */
export function opened(
  cipher: Cipher,
  { id, settings, secrets }: Pick<DestinationRow, 'id' | 'settings' | 'secrets'>,
): Settings {
  try {
    const hidden: unknown = JSON.parse(cipher.decrypt(secrets, id));
    return { ...settings, ...Object(hidden) };
  } catch (error) {
    throw new TargetError('secrets_unreadable', error);
  }
}

/**
 * Encrypts secrets that an earlier ENCRYPTION_KEY encrypted with the first one. Returns the number of destinations. Secrets that no
 * configured key decrypts are unchanged.
 */
export async function resealSecrets(database: Database, cipher: Cipher): Promise<number> {
  const rows = await database.query<Pick<DestinationRow, 'id' | 'secrets'>>(
    'select id, secrets from destinations.destination where not starts_with(secrets, $1)',
    [cipher.newest],
  );
  let resealed = 0;
  for (const { id, secrets } of rows) {
    const anew = reencrypted(cipher, id, secrets);
    if (anew === null) continue;
    const updated = await database.query(
      'update destinations.destination set secrets = $2 where id = $1 and secrets = $3 returning id',
      [id, anew, secrets],
    );
    resealed += updated.length;
  }
  return resealed;
}

function reencrypted(cipher: Cipher, id: string, secrets: string): string | null {
  try {
    return cipher.encrypt(cipher.decrypt(secrets, id), id);
  } catch {
    return null;
  }
}
