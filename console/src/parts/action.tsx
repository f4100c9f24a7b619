import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A button that runs something, is disabled meanwhile, and says what failed. */
export function Action({
  run,
  children,
  kind = '',
  disabled = false,
}: {
  run: () => Promise<unknown>;
  children: ComponentChildren;
  kind?: '' | 'main' | 'danger';
  disabled?: boolean;
}) {
  const [state, setState] = useState<{ isRunning: boolean; problem: string }>({
    isRunning: false,
    problem: '',
  });
  const start = async () => {
    setState({ isRunning: true, problem: '' });
    try {
      await run();
      setState({ isRunning: false, problem: '' });
    } catch (error) {
      setState({ isRunning: false, problem: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <span class="action">
      <button type="button" class={kind} disabled={disabled || state.isRunning} onClick={start}>
        {children}
      </button>
      {state.problem !== '' && (
        <span class="problem" role="alert">
          {state.problem}
        </span>
      )}
    </span>
  );
}
