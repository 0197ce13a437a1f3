import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { attempt } from "./toast.tsx";

interface ActProps {
  run: () => Promise<unknown>;
  /** What is said where it succeeded. */
  success?: string;
  tone?: "primary" | "quiet";
  children: ComponentChildren;
}

/** A button that makes a change at once. Until it is made, a second click makes no second one. */
export function Act({ run, success, tone, children }: ActProps) {
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const press = async () => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    await attempt(run, success);
    isRunning.current = false;
    setBusy(false);
  };
  return (
    <button type="button" class={tone} disabled={isBusy} onClick={() => void press()}>
      {children}
    </button>
  );
}
