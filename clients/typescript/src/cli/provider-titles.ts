import { type TitleOf, titleIn } from '../source-text.ts';
import type { Context } from './command.ts';

/** The names of providers that people read, as the server is set; those of the API if they cannot be read. */
export async function providerTitles({
  client,
  signal,
}: Pick<Context, 'client' | 'signal'>): Promise<TitleOf> {
  const setups = await client()
    .deliveries.providers({ signal })
    .catch(() => []);
  signal.throwIfAborted();
  return (provider, device) =>
    titleIn(
      setups.find((one) => one.provider === provider),
      provider,
      device,
    );
}
