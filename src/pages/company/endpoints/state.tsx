import { api } from '../../parts/api.ts';
import { When } from '../when.tsx';
import type { Endpoint } from './api.ts';

type StateName = 'enabled' | 'failing' | 'disabled';

const stateOf = ({ enabled, failingSince }: Endpoint): StateName => {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'enabled' : 'failing';
};

const words = {
  enabled: 'Enabled',
  failing: 'Failing',
  disabled: 'Disabled',
} as const satisfies Record<StateName, string>;

const tones = {
  enabled: 'good',
  failing: 'wait',
  disabled: 'bad',
} as const satisfies Record<StateName, string>;

export function StateBadge({ endpoint }: { endpoint: Endpoint }) {
  const state = stateOf(endpoint);
  return <span class={`state ${tones[state]}`}>{words[state]}</span>;
}

/** Explains failures, a pause, the reason why an endpoint is disabled, and a valid old secret. */
export function StateWords({ endpoint }: { endpoint: Endpoint }) {
  const { failingSince, disablesAt, pausedUntil, oldSecretUntil } = endpoint;
  const isOldSecretValid = oldSecretUntil !== null && Date.parse(oldSecretUntil) > api.now();
  return (
    <>
      {endpoint.enabled && failingSince !== null && (
        <p class="state-words wait">
          No delivery has succeeded since <When at={failingSince} />.
          {disablesAt && (
            <>
              {' '}
              The service disables the endpoint if a delivery fails after <When at={disablesAt} />.
            </>
          )}
        </p>
      )}
      {endpoint.enabled && pausedUntil !== null && (
        <p class="state-words wait">
          The receiver asked for a pause. Nothing is sent until <When at={pausedUntil} />.
        </p>
      )}
      {!endpoint.enabled && (
        <p class="state-words bad">
          <WhyDisabled endpoint={endpoint} />
        </p>
      )}
      {isOldSecretValid && (
        <p class="state-words">
          The old secret also signs until <When at={oldSecretUntil} />.
        </p>
      )}
    </>
  );
}

function WhyDisabled({ endpoint: { disabledBecause, failingSince } }: { endpoint: Endpoint }) {
  if (disabledBecause === 'gone')
    return <>The receiver answered 410 (gone), so the service disabled the endpoint.</>;
  if (disabledBecause === 'failing')
    return (
      <>
        The service disabled the endpoint. No delivery has succeeded
        {failingSince ? (
          <>
            {' '}
            since <When at={failingSince} />
          </>
        ) : (
          ' for five days'
        )}
        .
      </>
    );
  return <>Somebody disabled the endpoint. Nothing is sent until you enable the endpoint.</>;
}
