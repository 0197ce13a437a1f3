import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useDoing } from "../api/loading.ts";
import { Form } from "./form.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  isWide?: boolean;
}

/** A modal dialog; it is open as long as it is rendered. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={isWide ? "sheet wide" : "sheet"} aria-labelledby={id} onClose={onClose}>
      <div class="title">
        <h2 id={id}>{title}</h2>
        <span class="spring" />
        <button type="button" class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
          ×
        </button>
      </div>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** What happens, and to whom. */
  children: ComponentChildren;
  /** The verb on the button. */
  verb: string;
  isHarmful?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Ask before a change, run it, and show its problem in the same place. */
export function Confirm({ title, children, verb, onConfirm, onClose }: ConfirmProps) {
  const doing = useDoing();
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        doing={doing}
        submit={verb}
        onSubmit={async () => {
          await onConfirm();
          onClose();
        }}
        others={
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        }
      >
        {children}
      </Form>
    </Dialog>
  );
}
