import type { RetentionRule } from '../../../contracts/timeseries/retention.ts';
import { dayMs, hourMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Environment, Mixin } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { projectOfUser } from '../../../runtime/user-project.ts';
import { selectRules } from '../tables/retention.ts';

/** The first local days whose data is kept. Null keeps all. */
export interface KeptDays {
  /** Of samples, intervals and tracks. */
  readonly samples: string | null;
  /** Of events other than workouts and sleep. */
  readonly events: string | null;
}

/** Keeps all data. */
export const keptAll: KeptDays = { samples: null, events: null };

/** The stricter of the days of the installation (0 keeps all) and of the rule of a project. */
export function keptDays(nowMs: number, installationDays: number, rule: RetentionRule | null): KeptDays {
  return {
    samples: stricter(keptFrom(nowMs, installationDays), keptFrom(nowMs, rule?.samples_days ?? 0)),
    events: keptFrom(nowMs, rule?.events_days ?? 0),
  };
}

function stricter(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

/*
 * Data is deleted in whole local days, by the clock of each sample, so that no summary covers half a day: a day expires
 * when its last hour is too old in every time zone.
 */
const furthestClockMs = 18 * hourMs;

/** The first local day whose samples are kept, with 0 days null: all are. */
export function keptFrom(nowMs: number, days: number): string | null {
  return days === 0 ? null : passDay(nowMs - days * dayMs);
}

/** The day of the pass at an instant: the kept days change with it. */
export function passDay(nowMs: number): string {
  return new Date(nowMs - furthestClockMs).toISOString().slice(0, 10);
}

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
