/**
 * A region in which a provider keeps accounts apart: one of another region does not exist there. What a description reads of its settings
 * to make an address, it reads of those of the region, so that nothing else of it differs.
 */
export interface Region {
  /** Its country by ISO 3166-1. Null: all countries that the other regions do not name. */
  readonly country: string | null;
  /**
   * By the name of a setting of the provider, the name of the setting that takes its place: the addresses of authorisation, tokens and
   * API, and the client where it is another one.
   */
  readonly settings: Readonly<Record<string, string>>;
}

/** The settings of a provider as they are for the accounts of a region. A setting of the region that is not set takes its place too. */
export function settingsIn<S extends object>(all: S, { settings }: Region): S {
  const replaced = Object.entries(settings).map(([name, own]) => [name, Reflect.get(all, own)]);
  return { ...all, ...Object.fromEntries(replaced) };
}
