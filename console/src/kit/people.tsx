import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { shopId } from "../api/client.ts";
import { identity, session } from "../session/session.ts";

interface Member {
  user_id?: string;
  id?: string;
  name?: string | null;
  email?: string | null;
}

const names = signal<{ shop: string; of: ReadonlyMap<string, string> }>({ shop: "", of: new Map() });

/** A person by name; by the first part of the id where the name cannot be read. */
export function Person({ id }: { id: string | null | undefined }) {
  useEffect(() => void read(), [shopId.value]);
  if (!id) return <>–</>;
  if (id === session.value?.user.id) return <>You</>;
  return <span title={id}>{names.value.of.get(id) ?? id.slice(0, 8)}</span>;
}

/** Read the people of the shop once. */
async function read(): Promise<void> {
  const shop = shopId.value;
  if (names.value.shop === shop) return;
  names.value = { shop, of: new Map() };
  const answer = await identity<{ data: Member[] }>("GET", "/members").catch(() => null);
  if (!answer || !Array.isArray(answer.data) || names.value.shop !== shop) return;
  const known = answer.data.flatMap(({ user_id, id, name, email }): [string, string][] => {
    const person = user_id ?? id;
    const words = name ?? email;
    return person && words ? [[person, words]] : [];
  });
  names.value = { shop, of: new Map(known) };
}
