interface CountProps {
  label: string;
  value: number;
  most: number;
  onCount: (count: number) => void;
}

/** A field for a number from 1 to `most`. */
export const Count = ({ label, value, most, onCount }: CountProps) => (
  <label class="choice">
    {label}
    <input
      type="number"
      min={1}
      max={most}
      value={value}
      onChange={({ target }: Event) => onCount(Number((target as HTMLInputElement).value))}
    />
  </label>
);
