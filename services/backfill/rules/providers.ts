import type { PagedBackfill, RequestedBackfill } from '../../../domain/provider/provider.ts';
import { type ProviderName, providerNames, providers } from '../../../providers/all.ts';

type Backfills = { readonly [N in ProviderName]: (typeof providers)[N]['backfill'] };

/** A provider whose past data is requested. */
export type RequestedProvider = {
  [N in ProviderName]: Backfills[N] extends RequestedBackfill ? N : never;
}[ProviderName];

/** A provider whose past data is read page by page. */
export type PagedProvider = {
  [N in ProviderName]: Backfills[N] extends PagedBackfill ? N : never;
}[ProviderName];

/** Whether a provider's past data is requested. */
export function isRequested(provider: ProviderName): provider is RequestedProvider {
  return providers[provider].backfill.from === 'requests';
}

/** Whether a provider's past data is read page by page. */
export function isPaged(provider: ProviderName): provider is PagedProvider {
  return providers[provider].backfill.from === 'pages';
}

/** The service that reads or receives a provider's past data, where it is not requested. */
export function serviceOf<N extends Exclude<ProviderName, RequestedProvider>>(
  provider: N,
): Backfills[N]['service'] {
  return providers[provider].backfill.service;
}

/** The providers whose past data is requested. */
export const requestedProviders: readonly RequestedProvider[] = providerNames.filter(isRequested);
