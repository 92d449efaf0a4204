interface ActionProps {
  name: string;
  /** The keys that do the same as the button. A person presses them one after the other. */
  keys: string[];
  isOff?: boolean;
  onPress: () => void;
}

/** Shows a button with its keys. */
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
