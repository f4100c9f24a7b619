import type { RetentionRule } from '../../../contracts/timeseries/retention.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Environment, Mixin } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { projectOfUser } from '../../../runtime/user-project.ts';
import { type KeptDays, keptDays } from '../rules/kept-days.ts';
import { selectRules } from '../tables/retention.ts';

/** The first local days of which a store keeps data. */
export interface KeptDaysOfUsers {
  of(database: Queryable, userId: string, nowMs: number): Promise<KeptDays>;
  /** The next store of this process reads the rules again. */
  forget(): void;
}

/** Other processes store by an earlier rule for this time. What they store is deleted by the next pass. */
const keptMs = 5000;

/** The rules of projects as a mixin: a store leaves out what would not be kept. */
export function keptDaysOfUsers(): Mixin<KeptDaysOfUsers> {
  return (environment) => new RulesOfUsers(environment);
}

class RulesOfUsers implements KeptDaysOfUsers {
  readonly #environment: Environment;
  #rules: ReadonlyMap<string, RetentionRule> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async of(database: Queryable, userId: string, nowMs: number): Promise<KeptDays> {
    const rule = await this.#ruleOf(database, userId);
    return keptDays(nowMs, this.#environment.config.SAMPLE_RETENTION_DAYS, rule);
  }

  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  // Without a rule in the installation, no store asks for the project of its user.
  async #ruleOf(database: Queryable, userId: string): Promise<RetentionRule | null> {
    const now = performance.now();
    if (now - this.#readAt >= keptMs) {
      this.#rules = await selectRules(database);
      this.#readAt = now;
    }
    if (this.#rules.size === 0) return null;
    const project = await this.#projectOf(userId);
    return project === null ? null : (this.#rules.get(project) ?? null);
  }

  // A store does not fail while the service of users is unavailable: the next pass deletes what is too old.
  async #projectOf(userId: string): Promise<string | null> {
    const { call, logger } = this.#environment;
    try {
      return await projectOfUser(call, userId.toLowerCase());
    } catch (error) {
      logger.warn('retention.project_unknown', { user_id: userId, code: codeOf(error) });
      return null;
    }
  }
}
