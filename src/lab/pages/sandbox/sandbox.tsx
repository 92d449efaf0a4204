import { useState } from 'hono/jsx/dom';
import { Copy } from '../../../pages/parts/copy.tsx';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { Classic } from '../../sandbox/classics/classic.ts';
import type { Experiment } from '../../sandbox/experiment.ts';
import type { Tried } from '../../sandbox/run.ts';
import { type Beginning, readSandbox } from '../api.ts';
import { Choice } from '../choose.tsx';
import { Progress } from '../progress.tsx';
import { type RunRequest, usePlaying } from '../use-run.ts';
import { fragmentOf, readFragment } from './address.ts';
import { Editor } from './editor.tsx';
import { inWords, Result } from './result.tsx';

/**
 * Lets people type the SQL of two or three sessions. The server plays every order of their steps.
 */
export function Sandbox() {
  const [beginning, setBeginning] = useState<Beginning | undefined>(undefined);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    readSandbox().then(setBeginning, (error: Error) => setFailure(error.message));
  }, []);
  return (
    <>
      <h2>Sandbox</h2>
      <p class="lead">
        Type the SQL of two sessions. The server plays every order of their steps on a real
        PostgreSQL. After each order, the server looks whether your check holds. BEGIN belongs to
        the statement after it. A write outside a transaction is two steps. At an error a session
        stops.
      </p>
      {failure && <p role="alert">{failure}</p>}
      {beginning && <Desk {...beginning} />}
    </>
  );
}

const OWN = 'own';

const isSame = (one: Experiment, other: Experiment) =>
  JSON.stringify(one) === JSON.stringify(other);

function Desk({ classics, bounds }: Beginning) {
  const [first] = classics;
  if (!first) throw new Error('the sandbox has no classic');
  const [experiment, change] = useExperiment(first.broken);
  const [request, setRequest] = useState<RunRequest | undefined>(undefined);
  const running = usePlaying<Tried>(request);
  const stop = () => setRequest(undefined);
  const classic = classics.find(
    ({ broken, fixed }) => isSame(broken, experiment) || isSame(fixed, experiment),
  );
  const show = (next: Experiment) => {
    stop();
    change(next);
  };
  const done = running?.name === 'done' ? running.data : undefined;
  const isBusy = running !== undefined && !done && running.name !== 'failed';
  return (
    <>
      <div class="toolbar">
        <Choice
          label="Begin with"
          value={classic?.name ?? OWN}
          groups={[
            {
              label: '',
              options: [
                ...classics.map(({ name, title }): [string, string] => [name, title]),
                ...(classic ? [] : [[OWN, 'your own'] as [string, string]]),
              ],
            },
          ]}
          onChoose={(name) => {
            const chosen = classics.find((each) => each.name === name);
            if (chosen) show(chosen.broken);
          }}
        />
      </div>
      {classic && <Story classic={classic} experiment={experiment} onShow={show} />}
      <Editor experiment={experiment} bounds={bounds} onChange={show} />
      <div class="toolbar">
        {isBusy ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            onClick={() => setRequest({ path: '/sandbox', body: experiment })}
          >
            Play every order
          </button>
        )}
        <Copy label="Copy link" text={() => linkTo(experiment)} />
      </div>
      <p class="unseen" role="status">
        {isBusy ? 'Playing every order' : ''}
        {done ? inWords(done) : ''}
      </p>
      {running && <Progress exploring={running} />}
      {done && <Result done={done} experiment={experiment} />}
    </>
  );
}

interface StoryProps {
  classic: Classic;
  experiment: Experiment;
  onShow: (next: Experiment) => void;
}

/**
 * Explains a classic experiment. Shows the lesson only if the experiment is the one without the
 * fault.
 */
function Story({ classic, experiment, onShow }: StoryProps) {
  const isFixed = isSame(classic.fixed, experiment);
  return (
    <div class="story">
      <p>{isFixed ? classic.lesson : classic.story}</p>
      <button type="button" onClick={() => onShow(isFixed ? classic.broken : classic.fixed)}>
        {isFixed ? 'Show the version with the fault' : 'Show the right answer'}
      </button>
    </div>
  );
}

/** The address changes after this pause, because browsers refuse many changes in a short time. */
const TYPING_MS = 300;

/**
 * Returns the experiment of the page, and a function that changes it. Each change also changes the
 * address. `first` is used if the address has no experiment.
 */
function useExperiment(first: Experiment): [Experiment, (next: Experiment) => void] {
  const [experiment, setExperiment] = useState(() => readFragment(location.hash) ?? first);
  const fragment = fragmentOf(experiment);
  useEffect(() => {
    const follow = () => setExperiment(readFragment(location.hash) ?? first);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    const write = () => history.replaceState(null, '', location.search + fragment);
    const timer = setTimeout(write, TYPING_MS);
    return () => clearTimeout(timer);
  }, [fragment]);
  return [experiment, setExperiment];
}

/**
 * Returns a permalink to the experiment. The address of the page may still have an older
 * experiment.
 */
const linkTo = (experiment: Experiment): string =>
  location.origin + location.pathname + location.search + fragmentOf(experiment);
