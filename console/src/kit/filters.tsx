interface SearchFilterProps {
  label: string;
  placeholder?: string;
  value: string | undefined;
  onSearch: (text: string) => void;
}

/** Filter of a list by a text. It takes effect when it is left, or by Enter. */
export function SearchFilter({ label, placeholder = label, value, onSearch }: SearchFilterProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value ?? ""}
      onChange={(event) => onSearch(event.currentTarget.value)}
    />
  );
}
