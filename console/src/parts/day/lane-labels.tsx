import type { Source } from '../../../../clients/typescript/src/index.ts';
import { briefSource } from '../../titles.ts';
import type { Baseline } from './baseline.ts';
import type { LaneId, LaneLabel, LanePlace } from './lane-layout.ts';
import { lineNames, lineText, sleepText, stepsText, workoutsText } from './lane-texts.ts';
import type { Picture } from './picture.ts';

const names: Readonly<Record<'sleep' | 'activity' | 'workouts', string>> = {
  sleep: 'Sleep',
  activity: 'Activity',
  workouts: 'Workouts',
};
const titleOfLane = (id: LaneId) =>
  id === 'sleep' || id === 'activity' || id === 'workouts' ? names[id] : lineNames[id].title;

/** The labels of lanes. */
export const labelsOf = (picture: Picture, baseline: Baseline | null, ids: readonly LaneId[]): LaneLabel[] =>
  ids.map((id) => ({
    id,
    title: titleOfLane(id),
    text: textOf(picture, baseline, id),
    sources: sourcesOf(picture, id),
  }));

/** The label of each lane above its drawing: what it says, in a sentence, and its sources. */
export function Labels({ labels, places }: { labels: readonly LaneLabel[]; places: readonly LanePlace[] }) {
  return (
    <ul class="day-labels" aria-label="Lanes of the day">
      {labels.map(({ id, title, text, sources }, index) => (
        <li
          key={id}
          class={(places[index]?.rows ?? 1) > 1 ? 'rows' : ''}
          style={{ top: `${places[index]?.top ?? 0}px` }}
        >
          <strong>{title}</strong>
          <span class="lane-text">{text}</span>
          <span class="lane-source">
            {sources.map((source, number) => (
              <span
                key={source}
                class={`mark-${number % 4} ${sources.length > 1 ? 'several' : ''} lane-${id}`}
              >
                {source}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

function textOf(picture: Picture, baseline: Baseline | null, id: LaneId): string {
  const { axis, steps, workouts, heart, lines } = picture;
  if (id === 'sleep') return sleepText(picture);
  if (id === 'activity') return steps === null ? '' : stepsText(steps, axis);
  if (id === 'workouts') return workoutsText(workouts);
  const lane = id === 'heart' ? heart : lines.find((one) => one.id === id);
  const text = lane === undefined ? '' : lineText(lane, axis.zone);
  const usual = id === 'heart' && baseline !== null ? `; at rest usually ${usualText(baseline)}` : '';
  return text + usual;
}

const usualText = ({ low, high }: Baseline) =>
  Math.round(low) === Math.round(high) ? `${Math.round(low)}` : `${Math.round(low)} to ${Math.round(high)}`;

function sourcesOf({ heart, lines, sleeps, steps, workouts }: Picture, id: LaneId): string[] {
  if (id === 'activity') return steps === null ? [] : [briefSource(steps.source)];
  if (id === 'sleep' || id === 'workouts') return distinct(id === 'sleep' ? sleeps : workouts);
  return distinct((id === 'heart' ? heart : lines.find((one) => one.id === id))?.tracks ?? []);
}

const distinct = (all: readonly { readonly source: Source }[]) => [
  ...new Set(all.map(({ source }) => briefSource(source))),
];
