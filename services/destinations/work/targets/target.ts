import type { Logger } from 'moleculer';
import { z } from 'zod';
import type { Config } from '../../../../config.ts';
import { parseParams } from '../../../../domain/params.ts';
import type { Database } from '../../../../mixins/database/database.ts';
import type { Resolve } from '../../../../runtime/http/guarded-request.ts';
import type { Held } from '../../../../runtime/jobs/job-worker.ts';
import type { TargetHost } from '../../rules/allowed-hosts.ts';
import type { DestinationRow } from '../../tables/destinations.ts';
import type { Pace } from '../pace.ts';
import type { TargetThreads } from '../session/threads.ts';

/** What a kind gets to work on one part. */
export interface Run {
  readonly destination: DestinationRow;
  readonly database: Database;
  readonly config: Config;
  readonly logger: Logger;
  readonly pace: Pace;
  readonly held: Held;
  /** What talks to targets. */
  readonly threads: TargetThreads;
  /** Resolves names. Default: the system resolver. */
  readonly resolve: Resolve | undefined;
  /** The display name of a provider. */
  readonly shownAs: (provider: string) => string;
}

/** The proof that users are not at a destination any more: numbers for the audit entry. */
export type ErasureProof = Readonly<Record<string, number>>;

/**
 * A kind of destinations. `part` and `erase` read `run.destination` anew each time, and advance it in the transaction of each commit
 * (tables/destinations.ts), so that a process may end at any point.
 */
export interface Target<S> {
  /** The settings with their secrets. */
  readonly settings: z.ZodType<S>;
  /** The settings that are encrypted and never shown. */
  readonly secrets: readonly (keyof S & string)[];
  /** The settings that state where data is written: others begin the copy anew. */
  readonly place: readonly (keyof S & string)[];
  readonly hostsOf: (settings: S) => readonly TargetHost[];
  /** Writes a bounded part of what is left. Returns whether more is left. @throws TargetError */
  readonly part: (run: Run, settings: S) => Promise<boolean>;
  /** Removes all rows of users and proves it. @throws TargetError */
  readonly erase: (run: Run, settings: S, userIds: readonly string[]) => Promise<ErasureProof>;
  /** Delay of the next run when nothing is left. */
  readonly idleMs: (settings: S, pace: Pace) => number;
}

/** A kind with its settings as they are stored and decrypted. */
export interface TargetKind {
  /** Parses settings. @throws VALIDATION_FAILED (422), as `settings.…` */
  readonly parse: (settings: unknown) => Record<string, unknown>;
  readonly secrets: readonly string[];
  readonly place: readonly string[];
  readonly hostsOf: (settings: unknown) => readonly TargetHost[];
  readonly part: (run: Run, settings: unknown) => Promise<boolean>;
  readonly erase: (run: Run, settings: unknown, userIds: readonly string[]) => Promise<ErasureProof>;
  readonly idleMs: (settings: unknown, pace: Pace) => number;
}

/** Makes a kind of its typed parts. Its settings are parsed wherever they come from. */
export function targetKind<S extends object>(target: Target<S>): TargetKind {
  const { settings: schema, secrets, place } = target;
  const wrapped = z.object({ settings: schema });
  return {
    secrets,
    place,
    parse: (settings) => Object.fromEntries(Object.entries(parseParams(wrapped, { settings }).settings)),
    hostsOf: (settings) => target.hostsOf(schema.parse(settings)),
    part: (run, settings) => target.part(run, schema.parse(settings)),
    erase: (run, settings, userIds) => target.erase(run, schema.parse(settings), userIds),
    idleMs: (settings, pace) => target.idleMs(schema.parse(settings), pace),
  };
}
