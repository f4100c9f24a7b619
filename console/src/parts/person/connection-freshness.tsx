import type { ConnectionFreshness } from '../../../../clients/typescript/src/index.ts';
import { connectionSentences, gapText, kindsByState } from '../../freshness-texts.ts';
import { titleOf } from '../../titles.ts';
import { Badge } from '../badge.tsx';

/** The facts of a connection about whether its data arrives as expected. */
export function FreshnessFacts({ of }: { of: ConnectionFreshness }) {
  const { provider, state, incident, gaps } = of;
  return (
    <>
      <dt>Freshness</dt>
      <dd>
        <Badge state={state} /> {connectionSentences[state]} {kindsByState(of)}
        {incident && ` ${titleOf(provider)} has an incident now.`}
      </dd>
      {gaps.length > 0 && (
        <>
          <dt>Gaps</dt>
          <dd>
            <details>
              <summary>{gaps.length} in the last 28 days</summary>
              <ul>
                {gaps.map((gap) => (
                  <li key={`${gap.data_type} ${gap.first_date}`}>{gapText(gap)}</li>
                ))}
              </ul>
            </details>
          </dd>
        </>
      )}
    </>
  );
}
