import { Link } from '../../router.tsx';
import { can } from '../../session.ts';
import { Ago } from '../time.tsx';
import type { Problem } from './problems.ts';

type Mood = 'good' | Problem['severity'];

const shapes: Readonly<Record<Mood, string>> = {
  good: 'M5.5 10.5l3 3 6-7',
  warn: 'M10 5v6M10 14.2v.6',
  bad: 'M6.5 6.5l7 7M13.5 6.5l-7 7',
};

/** A mark of good or bad. Its form says it too, not only its colour. */
export function Mark({ mood }: { mood: Mood }) {
  return (
    <svg class={`mark ${mood}`} viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="10" cy="10" r="9.5" />
      <path d={shapes[mood]} />
    </svg>
  );
}

/** One sentence, and what is not well, the worst first. */
export function ProblemList({ problems, sentence }: { problems: readonly Problem[]; sentence: string }) {
  const mood = problems[0]?.severity ?? 'good';
  return (
    <section class={`verdict ${mood}`} aria-label="State of the service">
      <p class="sentence" role="status">
        <Mark mood={mood} />
        {sentence}
      </p>
      {problems.length > 0 && (
        <ul aria-label="What needs attention">
          {problems.map((one) => (
            <Item key={one.what} problem={one} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Item({ problem: { severity, what, means, since, action } }: { problem: Problem }) {
  return (
    <li>
      <Mark mood={severity} />
      <div>
        <strong class="problem-what">
          <span class="hidden">{severity === 'bad' ? 'Problem: ' : 'Warning: '}</span>
          {what}
        </strong>
        <p class="faint">{means}</p>
        {since !== null && (
          <p class="faint">
            Began <Ago at={since} />
          </p>
        )}
      </div>
      {action !== null && can(action.needs) && (
        <Link to={action.to} class="button">
          {action.text}
          <span class="hidden">: {what}</span>
        </Link>
      )}
    </li>
  );
}
