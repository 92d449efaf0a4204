interface ActionProps {
  name: string;
  /** The keys of the same action, one after the other. */
  keys: string[];
  isOff?: boolean;
  onPress: () => void;
}

/** A button that shows its keys. */
export const Action = ({ name, keys, isOff = false, onPress }: ActionProps) => (
  <button type="button" aria-disabled={String(isOff)} onClick={() => isOff || onPress()}>
    {name}{' '}
    <span class="hint">
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  </button>
);
