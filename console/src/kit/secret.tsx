import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Copied } from "./copy.tsx";
import { useLeaveWarning } from "./leave.ts";

interface SecretProps {
  title: string;
  secret: string;
  /** What it is for, and where to put it. */
  children: ComponentChildren;
  onClose: () => void;
}

/** A secret that is shown once. It stays until the person says that it is stored: Escape asks first. */
export function Secret({ title, secret, children, onClose }: SecretProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isStored, setStored] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  useLeaveWarning(true);
  // A browser may close a dialog without asking, after a second Escape: it opens again.
  const closed = () => {
    setAsking(true);
    dialog.current?.showModal();
  };
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        setAsking(true);
      }}
      onClose={closed}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <Copied text={secret} />
      <p class="note warn">It is shown only now: nobody can show it again.</p>
      {isAsking && !isStored && (
        <p class="note bad" role="alert">
          Is it stored? Tick the box once it is in a safe place.
        </p>
      )}
      <p>
        <label>
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} /> I
          have stored it
        </label>
      </p>
      <p class="buttons">
        <button type="button" class="primary" onClick={() => (isStored ? onClose() : setAsking(true))}>
          Close
        </button>
      </p>
    </dialog>
  );
}
