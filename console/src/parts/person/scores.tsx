import type { Score } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { sourceOf, typeName } from '../../titles.ts';
import { useZone } from '../../user-zone.ts';
import { CursorList } from '../cursor-list.tsx';
import { Empty } from '../states.tsx';
import { Table } from '../table.tsx';
import { daysAgo } from '../time.tsx';
import { componentText, scoreText } from './score-text.ts';

/** The scores of the last month, newest day first. */
export function Scores({ userId, version }: { userId: string; version: number }) {
  const zone = useZone();
  const range = { start_date: daysAgo(29, zone), end_date: daysAgo(0, zone), limit: 10 };
  return (
    <CursorList
      name={`scores ${userId} ${zone}`}
      what="scores"
      version={version}
      load={(query, signal) => api.timeseries.scores({ user_id: userId, ...query, ...range }, { signal })}
    >
      {(items) =>
        items.length === 0 ? (
          <Empty>No scores in the last 30 days.</Empty>
        ) : (
          <Table title="Scores" head={['Day', 'Score', 'Value', 'Parts', 'Source']}>
            {items.map((one) => (
              <Row key={one.id} score={one} />
            ))}
          </Table>
        )
      }
    </CursorList>
  );
}

function Row({ score: { date, kind, value, label, components, source } }: { score: Score }) {
  const parts = Object.entries(components).map(([name, part]) => componentText(name, part));
  return (
    <tr>
      <td>{date}</td>
      <td>{typeName(kind)}</td>
      <td>{scoreText({ value, label })}</td>
      <td class="wraps">{parts.join(', ')}</td>
      <td>{sourceOf(source)}</td>
    </tr>
  );
}
