import type { SingleSleepSession } from '../../../../../clients/typescript/src/index.ts';
import { digits } from '../../../units.ts';
import { stageName } from '../../lanes/stage-lane.tsx';
import { duration } from '../../time.tsx';
import { spansOf, stageTotals } from './stages.ts';

/** The time in each stage: one bar of all, and a row for each with its minutes and its share. */
export function StageTotals({ session }: { session: SingleSleepSession }) {
  const totals = stageTotals(spansOf(session.stages_timeline), session.stages);
  if (totals.length === 0) return null;
  let left = 0;
  const bars = totals.map(({ stage, part }) => {
    left += part;
    return { stage, part, from: left - part };
  });
  return (
    <section aria-labelledby="stages" class="card">
      <h3 id="stages">Time in each stage</h3>
      <svg class="stage-bar hypnogram" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ stage, part, from }) => (
          <rect key={stage} class={stage} x={from} width={part} y="0" height="1" />
        ))}
      </svg>
      <dl class="stage-list">
        {totals.map(({ stage, minutes, part }) => (
          <div key={stage}>
            <dt>
              <span class={`swatch stage-${stage}`} aria-hidden="true" /> {stageName(stage)}
            </dt>
            <dd>{duration(minutes * 60)}</dd>
            <dd class="faint">{digits(part * 100, 0)} %</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
