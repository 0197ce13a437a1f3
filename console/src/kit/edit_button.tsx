/** Button that opens the form of a thing, and closes it again. */
export function EditButton({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) {
  return (
    <button type="button" aria-expanded={isOpen} onClick={onToggle}>
      {isOpen ? "Close" : "Edit"}
    </button>
  );
}
