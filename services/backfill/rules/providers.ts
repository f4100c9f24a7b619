import type {
  ImportedBackfill,
  PagedBackfill,
  RequestedBackfill,
  UploadedBackfill,
} from '../../../domain/provider/provider.ts';
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

/** A provider whose past data is sent by the user's app, or in files. */
type UploadedProvider = {
  [N in ProviderName]: Backfills[N] extends UploadedBackfill | ImportedBackfill ? N : never;
}[ProviderName];

/** Whether a provider's past data is requested. */
export function isRequested(provider: ProviderName): provider is RequestedProvider {
  return providers[provider].backfill.from === 'requests';
}

/** Whether a provider's past data is read page by page. */
export function isPaged(provider: ProviderName): provider is PagedProvider {
  return providers[provider].backfill.from === 'pages';
}

/** Whether a provider's past data is sent by the user's app, or in files. */
export function isUploaded(provider: ProviderName): provider is UploadedProvider {
  return ['uploads', 'files'].includes(providers[provider].backfill.from);
}

/** The service that reads a provider's past data. */
export function pagerOf(provider: PagedProvider) {
  return providers[provider].backfill.service;
}

/** The service that receives a provider's past data. */
export function receiverOf(provider: UploadedProvider) {
  return providers[provider].backfill.service;
}

/** The providers whose past data is requested. */
export const requestedProviders: readonly RequestedProvider[] = providerNames.filter(isRequested);
