import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { api, data, type Schemas } from "../api/client.ts";
import { useDoing, useRows } from "../api/loading.ts";
import { may } from "../session/session.ts";
import { Dialog } from "./dialog.tsx";
import { More } from "./more.tsx";
import { Empty, Shown } from "./state.tsx";
import { upload } from "./upload.ts";

type Asset = Schemas["Asset"];

interface Kind {
  one: string;
  title: string;
  accepted: string;
  /** How its type begins. */
  begins: string;
  /** The type that the list is read with, where there is one alone. */
  type?: string;
  /** Megabytes. */
  most: number;
}

/** Files that pages show. Pictures of more than one request carries would be slow on any page. */
const KINDS = {
  picture: {
    one: "picture",
    title: "Pictures of the shop",
    accepted: ".png,.jpg,.jpeg,.gif,.webp,.avif,.svg",
    begins: "image/",
    most: 3,
  },
  film: { one: "film", title: "Films of the shop", accepted: ".mp4,.webm", begins: "video/", most: 20 },
  font: {
    one: "font",
    title: "Fonts of the shop",
    accepted: ".woff2",
    begins: "font/woff2",
    type: "font/woff2",
    most: 3,
  },
} satisfies Record<string, Kind>;

export type FileKind = keyof typeof KINDS;

interface ChooseProps {
  /** The whole sentence, for those who hear it; the button itself says "Choose…" unless it has other content. */
  label: string;
  kind?: FileKind;
  onChoose: (asset: Asset) => void;
  children?: ComponentChildren;
}

/** A button that opens the pictures of the shop, or its files of another kind. */
export function ChoosePicture({ label, kind = "picture", onChoose, children = "Choose…" }: ChooseProps) {
  const [isOpen, setOpen] = useState(false);
  if (!may("assets:read")) return null;
  return (
    <>
      <button type="button" aria-label={label} onClick={() => setOpen(true)}>
        {children}
      </button>
      {isOpen && (
        <Files
          kind={KINDS[kind]}
          onChoose={(asset) => {
            onChoose(asset);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function Files({ kind, onChoose, onClose }: { kind: Kind; onChoose: (asset: Asset) => void; onClose: () => void }) {
  const [q, setQ] = useState("");
  const rows = useRows(
    (cursor) => data(api.GET("/assets", { params: { query: { q: q || undefined, mime_type: kind.type, cursor } } })),
    [q],
  );
  return (
    <Dialog title={kind.title} isWide onClose={onClose}>
      <div class="filters">
        <input
          type="search"
          aria-label="Name"
          placeholder="Search by name"
          value={q}
          onChange={(event) => setQ(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // The dialog may stand inside of a form, which Enter would send.
            event.preventDefault();
            setQ(event.currentTarget.value);
          }}
        />
        {may("assets:write") && <Upload kind={kind} onDone={onChoose} />}
      </div>
      <Shown of={rows}>
        {(assets) => {
          const files = assets.filter(({ mime_type, public_url }) => public_url && mime_type.startsWith(kind.begins));
          if (!files.length) {
            return (
              <Empty title={q ? `No ${kind.one} has this name` : `No ${kind.one} yet`}>
                <p>Upload one here; it is kept among the shop's files.</p>
              </Empty>
            );
          }
          return (
            <ul class="gallery">
              {files.map((asset) => (
                <li class="tile" key={asset.id}>
                  <button type="button" class="picture" onClick={() => onChoose(asset)}>
                    <Thumbnail asset={asset} />
                    <span>{asset.name}</span>
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

/** The picture of an asset, or its kind. */
export function Thumbnail({ asset }: { asset: Asset }) {
  if (asset.public_url && asset.mime_type.startsWith("image/")) {
    return <img src={asset.public_url} alt="" loading="lazy" />;
  }
  return <span class="kind">{asset.public_url ? asset.mime_type : "not uploaded yet"}</span>;
}

function Upload({ kind, onDone }: { kind: Kind; onDone: (asset: Asset) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [tooLarge, setTooLarge] = useState(false);
  const doing = useDoing();
  const send = async (file: File) => {
    const asset = await upload(file);
    if (asset.public_url) onDone(asset);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`${capital(kind.one)} to upload`}
        accept={kind.accepted}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          const fits = file !== undefined && file.size <= kind.most * 1024 * 1024;
          setTooLarge(file !== undefined && !fits);
          if (fits) void doing.run(() => send(file));
        }}
      />
      <button type="button" class="primary" disabled={doing.isBusy} onClick={() => input.current?.click()}>
        {doing.isBusy ? "Uploading…" : `Upload a ${kind.one}`}
      </button>
      {(tooLarge || doing.problem) && (
        <p class="message" role="alert">
          {tooLarge
            ? `It has more than ${kind.most} MB: make it smaller, pages load faster then.`
            : doing.problem?.message}
        </p>
      )}
    </>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
