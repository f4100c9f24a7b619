import type { Logger } from 'moleculer';
import type { Database } from '../../../mixins/database/database.ts';
import type { JobHandler } from '../../../mixins/jobs/jobs.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { SourceOrder } from '../rules/ranks.ts';
import { erasureHandler } from './erasure.ts';
import { purgeHandler } from './purge.ts';
import { retentionHandler } from './retention.ts';

/** The jobs that delete stored data: of erased users, of purged connections, and expired samples. */
export function removalHandlers(deps: {
  readonly database: Database;
  readonly call: Call;
  readonly days: number;
  readonly order: SourceOrder;
  readonly sourcePriority: readonly string[];
  readonly logger: Logger;
}): JobHandler[] {
  return [erasureHandler(deps.database), purgeHandler(deps.database), retentionHandler(deps)];
}
