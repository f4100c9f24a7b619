import { useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { can, session } from '../../session.ts';
import type { Figures } from './figures.ts';
import { Mark } from './problem-list.tsx';
import { type SetupStep, stepsOf } from './setup.ts';

const stored = 'pulsebus.setup';

/** The steps of a new installation, until all are done or this browser hides them. */
export function SetupList({ figures }: { figures: Figures }) {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(stored) === 'hidden');
  const steps = stepsOf(figures, session.value?.sandbox === true).filter(({ needs }) => can(needs));
  const done = steps.filter(({ isDone }) => isDone).length;
  if (isHidden || done === steps.length) return null;
  const hide = () => {
    localStorage.setItem(stored, 'hidden');
    setHidden(true);
  };
  return (
    <section class="setup card" aria-labelledby="setup">
      <div class="row between">
        <h2 id="setup">
          Set-up{' '}
          <span class="faint setup-done">
            {done} of {steps.length} steps done
          </span>
        </h2>
        <button type="button" onClick={hide}>
          Hide<span class="hidden"> the set-up</span>
        </button>
      </div>
      <ol>
        {steps.map((one) => (
          <Item key={one.text} step={one} />
        ))}
      </ol>
    </section>
  );
}

function Item({ step: { text, to, note, isDone } }: { step: SetupStep }) {
  return (
    <li>
      {isDone ? <Mark mood="good" /> : <i aria-hidden="true" />}
      <div>
        <Link to={to} class={isDone ? 'step-done' : ''}>
          {text}
        </Link>
        <span class="hidden">{isDone ? ' (done)' : ' (not done)'}</span>
        <p class="faint">{note}</p>
      </div>
    </li>
  );
}
