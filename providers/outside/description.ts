import type { OAuth, Provider } from '../../domain/provider/provider.ts';
import type { Pull } from '../../domain/provider/pulled-provider.ts';
import { type Collection, fieldsOf, pulledCollections } from '../../domain/recipe/collection.ts';
import { listed, settingNames, settingNamesOfPolled } from '../listed.ts';

/** The version of `pulsebus/provider`. It is raised when a description of the former version no longer works. */
export const moduleVersion = 1;

/** What follows from the collections, and from the service that reads them. */
type Derived = 'fields' | 'ingest' | 'backfill' | 'names' | 'plainReply' | 'withholds';

/** A provider from outside of the tree, without what follows from its collections. */
interface OutsideFacts extends Omit<Provider, Derived | 'oauth' | 'pull'> {
  /** `isScopeEnough` is optional: a scope is enough if it permits one of the collections. */
  readonly oauth: Omit<OAuth, 'isScopeEnough'> & Partial<Pick<OAuth, 'isScopeEnough'>>;
  readonly pull: Omit<Pull, 'types'>;
}

/** The default export of a file or a package that PROVIDERS names. */
export interface OutsideDescription {
  /** The version of `pulsebus/provider` that it is written for. */
  readonly version: number;
  /** The name in paths, in settings (in capitals) and in the database. It does not change later. */
  readonly name: string;
  readonly provider: OutsideFacts;
  readonly collections: Readonly<Record<string, Collection>>;
  /** What the simulated provider needs besides the description; the sandbox checks it. */
  readonly twin: object;
}

/** The provider that a description makes: what follows from its collections is added. */
export function providerOf({
  name,
  provider,
  collections,
}: OutsideDescription): Provider & { readonly pull: Pull } {
  const capitals = name.toUpperCase();
  const types = pulledCollections(collections);
  const isScopeEnough = (scope: readonly string[]) =>
    Object.values(types).some((type) => type.isGranted(scope));
  return {
    ...provider,
    ...listed,
    names: provider.pull.notifications === null ? settingNamesOfPolled(capitals) : settingNames(capitals),
    fields: fieldsOf(collections),
    oauth: { isScopeEnough, ...provider.oauth },
    pull: { ...provider.pull, types },
  };
}
