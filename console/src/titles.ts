import { sourceText, type TitleOf, titleIn } from '../../clients/typescript/src/source-text.ts';
import { titlesOf } from './session.ts';

/** The name of a provider that people read, or of its source by its device. */
export const titleOf: TitleOf = (provider, device) => titleIn(titlesOf(provider), provider, device);

/** A source that people read: the provider, and the device if one is known. */
export const sourceOf = (source: { provider: string; device: string }) => sourceText(titleOf, source);

/** A source in few words: a device that has the name of its maker in it stands alone. */
export function briefSource(source: { provider: string; device: string }): string {
  const { provider, device } = source;
  return device.toLowerCase().startsWith(titleOf(provider).toLowerCase()) ? device : sourceOf(source);
}

/** A text with ids in it, with the names of providers that people read. */
export const withTitles = (text: string) =>
  text.replace(/(?<![a-z])[a-z]+(?![a-z])/g, (word) => titleOf(word));

/** The name of a type that people read. Types that only one provider has begin with its name. */
export const typeName = (type: string) => withTitles(type.replaceAll('_', ' '));
