import { useRef, useState } from 'hono/jsx/dom';
import { ActButton } from '../../parts/acts/act-button.tsx';
import { ASKING_AGAIN, type Note } from '../../parts/acts/notes.ts';
import type { PendingAct } from '../../parts/acts/use-acts.ts';
import { Copy } from '../../parts/copy.tsx';
import { useEffect } from '../../parts/use-effect.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { Question } from '../question.tsx';
import type { Endpoint, Result, Wrong } from './api.ts';
import * as acts from './api.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { allTypes } from './message-types.ts';
import { StateBadge, StateWords } from './state.tsx';

export interface EndpointCardProps {
  endpoint: Endpoint;
  attempt: PendingAct | undefined;
  note: Note | undefined;
  /** A secret that was made a moment ago. */
  secret: string | undefined;
  isShown: boolean;
  /** The number of events of the jobs so far. */
  events: number;
  /** Called when the deliveries have changed, because the endpoint may have changed too. */
  onNews(): void;
  /**
   * Sends a request, and returns its result. Returns undefined if another request about this
   * endpoint is under way.
   */
  run(
    name: string,
    ask: (endpoint: Endpoint, onWait: () => void) => Promise<Result>,
  ): Promise<Result | undefined>;
  onSecretSeen(): void;
  onShow(isShown: boolean): void;
}

type Panel = 'none' | 'change' | 'rotate' | 'delete';

export function EndpointCard(props: EndpointCardProps) {
  const { endpoint, attempt, note, secret, isShown, events, run } = props;
  const { onNews, onSecretSeen, onShow } = props;
  const [panel, setPanel] = useState<Panel>('none');
  const [wrong, setWrong] = useState<Wrong>({});
  /** The number of test messages so far. Each of them makes a delivery. */
  const [sent, setSent] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const wasOpen = useRef(false);
  // When a panel closes, its buttons disappear with the focus. The heading then gets the focus. The
  // secret is in a panel too.
  useEffect(() => {
    if (wasOpen.current && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true });
    wasOpen.current = panel !== 'none' || secret !== undefined;
  }, [panel, secret]);
  const close = () => {
    setPanel('none');
    setWrong({});
  };
  const asked = async (name: string, ask: Parameters<typeof run>[1]) => {
    await run(name, ask);
    close();
  };
  const onSave = async (values: acts.EndpointValues) => {
    const result = await run('change', (each, onWait) => acts.changeEndpoint(each, values, onWait));
    if (result?.note.isGood) close();
    else setWrong(result?.wrong ?? {});
  };
  const onTest = async () => {
    const result = await run('test', acts.sendTest);
    if (!result?.note.isGood) return;
    onShow(true);
    setSent((count) => count + 1);
  };
  const button = { subject: endpoint.url, attempt };
  const flip = endpoint.enabled ? DISABLE : ENABLE;
  return (
    <li class="endpoint">
      <div class="endpoint-head">
        <h3 ref={heading} tabIndex={-1}>
          {endpoint.url}
        </h3>
        <StateBadge endpoint={endpoint} />
      </div>
      {endpoint.description && <p class="about">{endpoint.description}</p>}
      <p class="muted">{typesInWords(endpoint)}</p>
      <StateWords endpoint={endpoint} />
      {secret !== undefined && <Secret secret={secret} onDone={onSecretSeen} />}
      {panel === 'none' && (
        // Each button has a key. Without keys, the button after a disappearing button would get its
        // focus.
        <div class="buttons">
          {endpoint.enabled && (
            <ActButton key="test" act="test" words={TEST} {...button} onPress={onTest} />
          )}
          <ActButton
            key="change"
            act="change"
            words={['Change', 'Change']}
            {...button}
            onPress={() => setPanel('change')}
          />
          <ActButton
            key="rotate"
            act="rotate"
            words={['New secret', 'New secret']}
            {...button}
            onPress={() => setPanel('rotate')}
          />
          <ActButton
            key="switch"
            act={flip.act}
            words={flip.words}
            {...button}
            isPrimary={!endpoint.enabled}
            onPress={() => void run(flip.act, flip.ask)}
          />
          <ActButton
            key="delete"
            act="delete"
            words={['Delete', 'Delete']}
            {...button}
            onPress={() => setPanel('delete')}
          />
        </div>
      )}
      {panel === 'change' && (
        <EndpointForm {...{ endpoint, attempt, wrong, onSave }} onCancel={close} />
      )}
      {panel === 'rotate' && (
        <Question
          text="Make a new secret? The old secret also signs for one more day. An even older secret stops at once."
          act="rotate"
          words={ROTATE}
          {...button}
          onYes={() => void asked('rotate', acts.rotateSecret)}
          onNo={close}
        />
      )}
      {panel === 'delete' && (
        <Question
          text="Delete this endpoint? Its deliveries disappear from this page, and waiting messages are not sent."
          act="delete"
          words={DELETE}
          {...button}
          onYes={() => void asked('delete', acts.remove)}
          onNo={close}
        />
      )}
      <p class={note?.isGood ? 'note good' : 'note'}>
        {attempt?.isAgain ? ASKING_AGAIN : Object.keys(wrong).length > 0 ? '' : note?.text}
      </p>
      <button
        type="button"
        class="fold"
        aria-expanded={isShown ? 'true' : 'false'}
        onClick={() => onShow(!isShown)}
      >
        Deliveries<span class="unseen"> to {endpoint.url}</span>
      </button>
      {isShown && <Deliveries endpoint={endpoint} events={events + sent} onNews={onNews} />}
    </li>
  );
}

const TEST = ['Send a test', 'Sending…'] as const;
const ENABLE = { act: 'enable', words: ['Enable', 'Enabling…'], ask: acts.enable } as const;
const DISABLE = { act: 'disable', words: ['Disable', 'Disabling…'], ask: acts.disable } as const;
const ROTATE = ['Make a new secret', 'Making…'] as const;
const DELETE = ['Delete the endpoint', 'Deleting…'] as const;

const typesInWords = ({ types }: Endpoint): string =>
  types.length === allTypes.length ? 'Gets all events' : `Gets ${types.join(', ')}`;

interface SecretProps {
  secret: string;
  onDone(): void;
}

/** Shows a new secret until the person hides it. */
function Secret({ secret, onDone }: SecretProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <section class="panel" tabIndex={-1} ref={panel} aria-label="The new secret">
      <p>
        <strong>Copy this secret now. The page cannot show it again.</strong> Your receiver needs
        the secret to check that a message is from this service.
      </p>
      <code class="secret">{secret}</code>
      <div class="buttons">
        <Copy label="Copy the secret" text={() => secret} />
        <button type="button" onClick={onDone}>
          Hide the secret
        </button>
      </div>
    </section>
  );
}
