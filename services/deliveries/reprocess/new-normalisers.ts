import type { Database } from '../../../mixins/database/database.ts';
import { normaliserVersionOf, providerNames, reprocessedTypesOf } from '../../../providers/all.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { raiseNormaliserVersion } from '../queries/normaliser-versions.ts';
import { startRunIn } from './runs.ts';

/**
 * Starts a run of the kept deliveries of each provider whose normalisers are newer than those that processed them. Of several
 * processes one starts it. A process of an older release never lowers a version.
 */
export async function reprocessForNewNormalisers(database: Database): Promise<void> {
  for (const provider of providerNames.filter((name) => reprocessedTypesOf(name) !== null))
    await database.transaction(async (transaction) => {
      const isDue = await raiseNormaliserVersion(transaction, provider, normaliserVersionOf(provider));
      if (isDue) await startRunIn(transaction, systemOrigin('deliveries'), { provider, dry_run: false });
    });
}
