import { useState } from 'preact/hooks';
import type {
  RetentionChange,
  RetentionPreview,
  Retention as Rule,
} from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { retentionChange, textsOfRule } from '../../retention-texts.ts';
import { Action } from '../action.tsx';
import { Section } from '../section.tsx';
import { Table } from '../table.tsx';

/** How long data of the project is kept: a rule is saved once its preview is shown. */
export function Retention() {
  const rule = useResource('retention', (signal) => api.timeseries.retention({ signal }));
  return (
    <Section title="Retention" what="the retention rule" of={rule}>
      {(stored) => <Editor key={stored.updated_at} stored={stored} changed={rule.reload} />}
    </Section>
  );
}

interface Shown {
  readonly change: RetentionChange;
  readonly preview: RetentionPreview;
}

function Editor({ stored, changed }: { stored: Rule; changed: () => void }) {
  const [texts, setTexts] = useState(textsOfRule(stored));
  const [shown, setShown] = useState<Shown | null>(null);
  const edit = (change: Partial<typeof texts>) => {
    setTexts({ ...texts, ...change });
    setShown(null);
  };
  const { installation_days: days } = stored;
  return (
    <>
      <p class="faint">
        Days that data is kept; an empty field keeps all. Older data is deleted in whole local days.
        {days !== null && ` The installation keeps samples for ${days} days.`}
      </p>
      <div class="row">
        <label>
          Days of samples
          <input
            inputMode="numeric"
            value={texts.samples}
            onInput={(event) => edit({ samples: event.currentTarget.value })}
          />
        </label>
        <label>
          Days of events
          <input
            inputMode="numeric"
            value={texts.events}
            onInput={(event) => edit({ events: event.currentTarget.value })}
          />
        </label>
        <label>
          Days of series types (heart_rate 90, weight all)
          <input value={texts.types} onInput={(event) => edit({ types: event.currentTarget.value })} />
        </label>
        <Action
          run={async () => {
            const change = retentionChange(texts);
            setShown({ change, preview: await api.timeseries.previewRetention(change) });
          }}
        >
          Preview
        </Action>
        <Action
          kind="danger"
          disabled={shown === null}
          run={async () => {
            if (shown === null) return;
            await api.timeseries.changeRetention(shown.change);
            changed();
          }}
        >
          Save
        </Action>
      </div>
      {shown !== null && <Preview preview={shown.preview} />}
    </>
  );
}

function Preview({ preview: { samples, events } }: { preview: RetentionPreview }) {
  const rows = [...samples, ...events];
  if (rows.length === 0) return <p>The rule deletes nothing now.</p>;
  return (
    <Table title="What the rule deletes" head={['Type', 'Kept from', 'Rows deleted', 'Users']}>
      {rows.map(({ type, kept_from, rows: count, users }) => (
        <tr key={type}>
          <td>
            <code>{type}</code>
          </td>
          <td>{kept_from}</td>
          <td>{count.toLocaleString('en')}</td>
          <td>{users.toLocaleString('en')}</td>
        </tr>
      ))}
    </Table>
  );
}
