import type { Config } from '../../../config.ts';
import type {
  Retention,
  RetentionChange,
  RetentionPreview,
} from '../../../contracts/timeseries/retention.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call, Meta } from '../../../runtime/environment.ts';
import { projectOf } from '../../../runtime/user-project.ts';
import type { KeptDaysOfUsers } from './kept-days-of-user.ts';
import { previewRetention } from './preview-retention.ts';
import { deleteRule, selectRule } from './queries/retention-rules.ts';
import { changedRule, changeRetention, readRetention } from './retention-rules.ts';

interface RetentionContext {
  readonly database: Database;
  readonly keptDays: KeptDaysOfUsers;
  readonly call: Call;
  readonly config: Config;
  readonly meta: Meta;
  readonly origin: AuditOrigin;
}

/** The actions on the retention rule of a project. */
export const retentionHandlers = {
  retention({ database, config, meta }: RetentionContext): Promise<Retention> {
    return readRetention(database, projectOf(meta), config.SAMPLE_RETENTION_DAYS);
  },
  async changeRetention({
    database,
    config,
    keptDays,
    meta,
    origin,
    params,
  }: RetentionContext & { readonly params: RetentionChange }): Promise<Retention> {
    await changeRetention(database, projectOf(meta), params, origin);
    keptDays.forget();
    return readRetention(database, projectOf(meta), config.SAMPLE_RETENTION_DAYS);
  },
  async previewRetention({
    database,
    call,
    config,
    meta,
    params,
  }: RetentionContext & { readonly params: RetentionChange }): Promise<RetentionPreview> {
    const stored = await selectRule(database, projectOf(meta));
    const rule = changedRule(stored?.rule ?? null, params);
    const previewing = { database, call, installationDays: config.SAMPLE_RETENTION_DAYS };
    return previewRetention(previewing, projectOf(meta), rule, Date.now());
  },
  async forgetProject({
    database,
    keptDays,
    params,
  }: RetentionContext & { readonly params: { readonly project_id: string } }) {
    const deleted = await deleteRule(database, params.project_id);
    keptDays.forget();
    return { deleted };
  },
};
