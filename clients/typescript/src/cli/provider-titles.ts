import type { Context } from './command.ts';

/** The name of a provider that people read. */
export type TitleOf = (provider: string) => string;

/** The names of providers that people read, as the server is set; those of the API if they cannot be read. */
export async function providerTitles({
  client,
  signal,
}: Pick<Context, 'client' | 'signal'>): Promise<TitleOf> {
  const setups = await client()
    .deliveries.providers({ signal })
    .catch(() => []);
  signal.throwIfAborted();
  const titles = new Map<string, string>(setups.map(({ provider, title }) => [provider, title]));
  return (provider) => titles.get(provider) ?? provider;
}
