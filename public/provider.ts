/**
 * The module `pulsebus/provider`: what a provider outside of the tree is written with (docs/adding-a-provider.md). Its version is
 * raised when a description of the former version no longer works.
 */
import type { OutsideDescription } from '../providers/outside/description.ts';
import type { Twin } from '../sandbox/listed/described.ts';

/** A provider, what it lists, and what its simulation needs besides. */
export interface ProviderDescription extends OutsideDescription {
  readonly version: 1;
  readonly twin: Omit<Twin, 'name' | 'provider' | 'collections'>;
}

/** Checks the types of a description, which is the default export of a file or package that PROVIDERS names. */
export const defineProvider = (description: ProviderDescription): ProviderDescription => description;

export { z } from 'zod';
export { jsonOrNull } from '../domain/json/json.ts';
export {
  absentAs,
  assumed,
  computed,
  decides,
  each,
  extra,
  extras,
  type FieldTable,
  kept,
  like,
  notKept,
  under,
} from '../domain/provider/field-table.ts';
export type { Hint } from '../domain/provider/notifications.ts';
export type { Collection } from '../domain/recipe/collection.ts';
export type { Draft } from '../domain/recipe/draft.ts';
export { failureByStatus } from '../domain/recipe/failure.ts';
export type { ListRead } from '../domain/recipe/list-pass.ts';
export { offsetField } from '../domain/recipe/offset-of-times.ts';
export type { Item } from '../domain/recipe/read-fields.ts';
export { sleepRanks } from '../domain/records/records.ts';
export { dayMs, hourMs, localDate, minuteMs } from '../domain/time/time.ts';
export { apiPath, jsonEvents, limit, noWebhooks, pace, scopesIn, withoutData } from '../providers/listed.ts';
export { networks, url, webhookSecrets, whole } from '../providers/setting-forms.ts';
