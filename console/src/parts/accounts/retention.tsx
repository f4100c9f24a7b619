import { useState } from 'preact/hooks';
import type { RetentionPreview, Retention as Rule } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { Action } from '../action.tsx';
import { Section } from '../section.tsx';

/** How long data of the project is kept: a change is saved once it is shown what it deletes. */
export function Retention() {
  const rule = useResource('retention', (signal) => api.timeseries.retention({ signal }));
  return (
    <Section title="Retention" what="the retention of the project" of={rule}>
      {(stored) => <Editor key={stored.updated_at} stored={stored} changed={rule.reload} />}
    </Section>
  );
}

function Editor({ stored, changed }: { stored: Rule; changed: () => void }) {
  const { samples_days, events_days, installation_days } = stored;
  const [change, setChange] = useState({ samples_days, events_days });
  const [preview, setPreview] = useState<RetentionPreview | null>(null);
  const edit = (days: Partial<typeof change>) => {
    setChange({ ...change, ...days });
    setPreview(null);
  };
  return (
    <>
      <p class="faint">
        Days that data is kept; an empty field keeps all. Older data is deleted in whole local days.
        {installation_days !== null && ` The installation keeps samples for ${installation_days} days.`}
      </p>
      <div class="row">
        <Days of="samples" days={change.samples_days} edit={(days) => edit({ samples_days: days })} />
        <Days of="events" days={change.events_days} edit={(days) => edit({ events_days: days })} />
        <Action run={async () => setPreview(await api.timeseries.previewRetention(change))}>Preview</Action>
        <Action
          kind="danger"
          disabled={preview === null}
          run={async () => {
            await api.timeseries.changeRetention(change);
            changed();
          }}
        >
          Save
        </Action>
      </div>
      {preview !== null && (
        <p>
          The next pass deletes {preview.samples.toLocaleString('en')} samples and{' '}
          {preview.events.toLocaleString('en')} events.
        </p>
      )}
    </>
  );
}

interface DaysField {
  readonly of: string;
  readonly days: number | null;
  readonly edit: (days: number | null) => void;
}

function Days({ of, days, edit }: DaysField) {
  return (
    <label>
      Days of {of}
      <input
        type="number"
        min={1}
        value={days ?? ''}
        onInput={({ currentTarget: { value } }) => edit(value === '' ? null : Number(value))}
      />
    </label>
  );
}
