import type { Score } from '../../../../../clients/typescript/src/index.ts';
import { api } from '../../../api.ts';
import { useResource } from '../../../resource.ts';
import { sourceOf, typeName } from '../../../titles.ts';
import { Loaded } from '../../states.tsx';
import { Table } from '../../table.tsx';
import { capital, componentText, scoreText } from '../score-text.ts';

/** The scores of a day with their components, that of the session first. */
export function DayScores({ userId, date, sessionId }: { userId: string; date: string; sessionId: string }) {
  const scores = useResource(`${userId} scores ${date}`, (signal) =>
    api.timeseries
      .scores({ user_id: userId, start_date: date, end_date: date, limit: 100 }, { signal })
      .toArray(100),
  );
  return (
    <>
      <h3>Scores of the day</h3>
      <Loaded of={scores} what="scores">
        {(all) =>
          all.length === 0 ? (
            <p class="faint">No provider sent a score of this day.</p>
          ) : (
            <Table title="Scores of the day" head={['Score', 'Value', 'Source', 'Components']}>
              {all
                .toSorted((one, other) => Number(other.id === sessionId) - Number(one.id === sessionId))
                .map((one) => (
                  <Row key={`${one.id} ${one.kind}`} score={one} isOfSession={one.id === sessionId} />
                ))}
            </Table>
          )
        }
      </Loaded>
    </>
  );
}

function Row({ score, isOfSession }: { score: Score; isOfSession: boolean }) {
  const parts = Object.entries(score.components).filter(([, value]) => value !== null);
  return (
    <tr>
      <td>
        {capital(typeName(score.kind))}
        {isOfSession && <span class="faint"> of this sleep</span>}
      </td>
      <td>{scoreText(score)}</td>
      <td>{sourceOf(score.source)}</td>
      <td class="wraps">{parts.map(([name, value]) => componentText(name, value)).join(', ')}</td>
    </tr>
  );
}
