import { useChanges } from '../changes.ts';
import { type Figures, readFigures } from '../parts/home/figures.ts';
import '../parts/home/home.css';
import { Numbers } from '../parts/home/numbers.tsx';
import { ProblemList } from '../parts/home/problem-list.tsx';
import { problemsOf } from '../parts/home/problems.ts';
import { ProviderRows } from '../parts/home/provider-rows.tsx';
import { ReceivedCharts } from '../parts/home/received-charts.tsx';
import { sentenceOf } from '../parts/home/sentence.ts';
import { SetupList } from '../parts/home/setup-list.tsx';
import { Loaded } from '../parts/states.tsx';
import { useRepeated, useResource } from '../resource.ts';

/** Figures need not follow each of many changes. */
const pauseMs = 5000;
/** Waiting times grow without a change. */
const everyMs = 15_000;

/** Whether everything is well, what is not, and how much arrives. */
export function Home() {
  const version = useChanges({ pauseMs });
  const figures = useResource(`${version}`, readFigures, true);
  useRepeated(everyMs, figures.reload);
  return (
    <>
      <h1>Home</h1>
      <div class={figures.data === undefined ? 'home-space' : ''}>
        <Loaded of={figures} what="figures">
          {(data) => (
            <>
              <Verdict figures={data} />
              <SetupList figures={data} />
              <Numbers overview={data.overview} />
              <ProviderRows figures={data} />
            </>
          )}
        </Loaded>
      </div>
      <ReceivedCharts version={version} />
    </>
  );
}

function Verdict({ figures }: { figures: Figures }) {
  const nowMs = Date.now();
  const problems = problemsOf(figures, nowMs);
  return <ProblemList problems={problems} sentence={sentenceOf(figures, problems, nowMs)} />;
}
