import { notify } from "./toast.tsx";

interface Published {
  publication_warning?: { message: string };
}

/** Say that a change is saved, and where it is not yet on the shop. Returns what was saved. */
export function saved<T extends object>(answer: T, text = "Saved"): T {
  const warning = (answer as Published).publication_warning;
  if (warning) notify(`${text}, but not yet published: ${warning.message}`, "bad");
  else notify(text);
  return answer;
}
