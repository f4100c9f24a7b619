/** A source as answers of the API have it. */
interface Source {
  readonly provider: string;
  readonly device?: string | null;
}

/** The names that people read: of a provider, and of its sources by a part of the device's or the app's name. */
export interface Titles {
  readonly title: string;
  readonly source_titles: Readonly<Record<string, string>>;
}

/** The name of a provider that people read, or of one of its sources by its device. */
export type TitleOf = (provider: string, device?: string) => string;

/** The name of a provider or of its source; the name of the API without titles. */
export function titleIn(titles: Titles | undefined, provider: string, device = ''): string {
  if (titles === undefined) return provider;
  const name = device.toLowerCase();
  const source = Object.entries(titles.source_titles).find(([part]) => name.includes(part));
  return source?.[1] ?? titles.title;
}

/** An app without a device has its id in the place of the device. */
const appId = /^com\.[\w.-]+$/;

/** A source as people read it: the name of the provider, and the device if one is known. */
export function sourceText(titleOf: TitleOf, { provider, device }: Source): string {
  if (device === undefined || device === null || device === 'unknown') return titleOf(provider);
  const title = titleOf(provider, device);
  return appId.test(device) && title !== titleOf(provider) ? title : `${title}, ${device}`;
}
