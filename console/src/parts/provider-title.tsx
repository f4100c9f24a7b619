import { monogramOf } from '../../../domain/provider/monogram.ts';
import { titlesOf } from '../session.ts';
import { titleOf } from '../titles.ts';

/** A provider as people know it: its monogram and its name. */
export function ProviderTitle({ provider }: { provider: string }) {
  const title = titleOf(provider);
  const colour = titlesOf(provider)?.colour;
  return (
    <>
      {colour !== undefined && (
        <svg class="monogram" viewBox="0 0 40 40" aria-hidden="true">
          <rect width="40" height="40" rx="10" fill={colour} />
          <text x="20" y="20">
            {monogramOf(title)}
          </text>
        </svg>
      )}
      {title}
    </>
  );
}
