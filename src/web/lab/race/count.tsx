interface CountProps {
  label: string;
  value: number;
  most: number;
  onCount: (count: number) => void;
}

/** How many of something, from 1. */
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
