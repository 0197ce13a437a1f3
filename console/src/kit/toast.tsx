import { signal } from "@preact/signals";
import { asProblem } from "../api/problems.ts";

type Tone = "good" | "bad";

interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const toasts = signal<readonly Toast[]>([]);
const SECONDS = { good: 5, bad: 12 };
let newest = 0;

/** Show a sentence for some seconds; it is read aloud. */
export function notify(text: string, tone: Tone = "good"): void {
  const id = ++newest;
  toasts.value = [...toasts.value, { id, text, tone }];
  setTimeout(() => forget(id), SECONDS[tone] * 1000);
}

/** Run a change that has no form, and show the sentence of its failure. Resolves to true where it succeeded. */
export async function attempt(change: () => Promise<unknown>, success?: string): Promise<boolean> {
  try {
    await change();
  } catch (thrown) {
    notify(asProblem(thrown).message, "bad");
    return false;
  }
  if (success) notify(success);
  return true;
}

function forget(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {toasts.value.map(({ id, text, tone }) => (
        <p key={id} class={`toast ${tone}`}>
          {text}
          <button type="button" class="quiet" aria-label="Close" onClick={() => forget(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
