import type { Config } from '../../../config.ts';
import { ownValue } from '../../../domain/own-value.ts';
import type { Pull, PulledType } from '../../../domain/provider/pulled-provider.ts';
import { type PulledName, pulledNames, pullOf } from '../../../providers/all.ts';
import { settingsOf } from '../../../runtime/provider-settings.ts';

/** The provider of a row. Undefined if this version does not know it. */
export function pulledNamed(name: string): PulledName | undefined {
  return pulledNames.find((provider) => provider === name);
}

/** A type of a provider. Undefined if it has none of this name. */
export function typeNamed(pull: Pull, name: string): PulledType | undefined {
  return ownValue(pull.types, name);
}

/** The type whose reads are the probe of a connection's access. */
export const accessType = '';

/** A sweep of a type, by its position in the type's list. */
export interface SweepRow {
  readonly type: string;
  readonly number: number;
  readonly everyMs: number;
}

/** The sweeps of all types of a provider. */
export function sweepsOf(provider: PulledName): SweepRow[] {
  return Object.entries(pullOf(provider).types).flatMap(([type, { sweeps }]) =>
    sweeps.map(({ everyMs }, number) => ({ type, number, everyMs })),
  );
}

/** The share of a limit that may be sent at once, and that is spread over the window. The rest is a margin. */
const burstShare = 1 / 6;
const evenShare = 3 / 4;

/** Whose limits a request counts against. */
export interface Limited {
  readonly provider: PulledName;
  readonly connection_id: string;
  /** The OAuth client of a project. Omitted: that of the installation. */
  readonly client_id?: string | undefined;
  /** Past data, which leaves a part of each burst to what notifications demand. */
  readonly isPast?: boolean | undefined;
}

const pastShare = 0.8;

/** A limit in force: its scope, the least interval of its requests, and how many may be sent at once. */
export interface RateLimit {
  readonly scope: string;
  readonly intervalMs: number;
  readonly burst: number;
}

/** The limits of a request of an account. Each has a scope of its own; that of the first one is paused for all of them. */
export function limitsOf(config: Config, limited: Limited): RateLimit[] {
  const { limits } = pullOf(limited.provider);
  return limits.map(({ of, requests, windowMs }, index) => {
    const mostRequests = requests(config);
    const isFirst = limits.findIndex((limit) => limit.of === of) === index;
    const scope = scopeOf(config, limited, of);
    return {
      scope: isFirst ? scope : `${scope} ${windowMs}`,
      burst: Math.max(1, Math.floor(mostRequests * burstShare * (limited.isPast === true ? pastShare : 1))),
      intervalMs: windowMs / Math.max(1, mostRequests * evenShare),
    };
  });
}

/** The name of a limit's scope. */
export function scopeOf(
  config: Config,
  { provider, connection_id, client_id }: Limited,
  of: 'account' | 'application',
): string {
  const client = client_id ?? settingsOf(config, provider).clientId ?? 'default';
  return `${provider} ${of} ${of === 'account' ? connection_id : client}`;
}
