import { useRef, useState } from "preact/hooks";
import { api, data } from "../api/client.ts";
import { useDoing, useRows } from "../api/loading.ts";
import { Dialog } from "../kit/dialog.tsx";
import { More } from "../kit/more.tsx";
import { Empty, Shown } from "../kit/state.tsx";
import { upload } from "../screens/assets/upload.ts";
import { may } from "../session/session.ts";

const ACCEPTED = ".png,.jpg,.jpeg,.gif,.webp,.avif,.svg";
/** Bytes: what one request carries. */
const MOST_BYTES = 3 * 1024 * 1024;

interface ChooseProps {
  label: string;
  onChoose: (address: string) => void;
}

/** A button that opens the pictures of the shop. */
export function ChoosePicture({ label, onChoose }: ChooseProps) {
  const [isOpen, setOpen] = useState(false);
  if (!may("assets:read")) return null;
  return (
    <>
      <button type="button" aria-label={label} onClick={() => setOpen(true)}>
        Choose…
      </button>
      {isOpen && (
        <Pictures
          onChoose={(address) => {
            onChoose(address);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function Pictures({ onChoose, onClose }: { onChoose: (address: string) => void; onClose: () => void }) {
  const [q, setQ] = useState("");
  const rows = useRows((cursor) => data(api.GET("/assets", { params: { query: { q: q || undefined, cursor } } })), [q]);
  return (
    <Dialog title="Pictures of the shop" isWide onClose={onClose}>
      <div class="filters">
        <input type="search" aria-label="Name" value={q} onChange={(event) => setQ(event.currentTarget.value)} />
        {may("assets:write") && <UploadPicture onDone={onChoose} />}
      </div>
      <Shown of={rows}>
        {(assets) => {
          const pictures = assets.filter(({ mime_type, public_url }) => public_url && mime_type.startsWith("image/"));
          if (!pictures.length) {
            return (
              <Empty title={q ? "No picture has this name" : "No picture yet"}>
                <p>Upload one here; it is kept among the shop's files.</p>
              </Empty>
            );
          }
          return (
            <ul class="gallery">
              {pictures.map(({ id, name, public_url }) => (
                <li class="tile" key={id}>
                  <button type="button" class="picture" onClick={() => onChoose(public_url ?? "")}>
                    <img src={public_url ?? ""} alt="" loading="lazy" />
                    <span>{name}</span>
                  </button>
                </li>
              ))}
            </ul>
          );
        }}
      </Shown>
      <More of={rows} />
    </Dialog>
  );
}

function UploadPicture({ onDone }: { onDone: (address: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [tooLarge, setTooLarge] = useState(false);
  const doing = useDoing();
  const send = async (file: File) => {
    const { public_url } = await upload(file);
    if (public_url) onDone(public_url);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Picture to upload"
        accept={ACCEPTED}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          setTooLarge(file !== undefined && file.size > MOST_BYTES);
          if (file && file.size <= MOST_BYTES) void doing.run(() => send(file));
        }}
      />
      <button type="button" class="primary" disabled={doing.isBusy} onClick={() => input.current?.click()}>
        {doing.isBusy ? "Uploading…" : "Upload a picture"}
      </button>
      {(tooLarge || doing.problem) && (
        <p class="message" role="alert">
          {tooLarge ? "It has more than 3 MB: make it smaller, pages load faster then." : doing.problem?.message}
        </p>
      )}
    </>
  );
}
